-- First ratings on the newest list, with the points and the opponents' average behind them, and the month's events.
with played as (
    select
        list_month,
        games.time_control,
        fide_id,
        string_agg(distinct events.name, '; ' order by events.name) as events_of_the_month
    from games
    inner join events using (list_month, event_id)
    group by list_month, games.time_control, fide_id
)

select
    time_control,
    fide_id,
    name,
    federation,
    rating,
    games,
    score_halves * 0.5 as points,
    opponent_average,
    dp,
    coalesce(events_of_the_month, '') as events_of_the_month
from entered
left join played using (list_month, time_control, fide_id)
where list_month = newest_list()
order by time_control, rating desc, fide_id
