-- One row per list and event known to it: how many results were rated. A game is two results, one per player.
with results as (
    select
        list_month,
        event_id,
        count(*) filter (where rated) as results_rated,
        count(*) filter (where not rated) as results_not_rated
    from games
    group by list_month, event_id
),

settled as (
    select
        events.list_month,
        events.event_id,
        events.name,
        events.federation,
        events.time_control,
        events.start_date,
        events.end_date,
        events.status,
        events.reason,
        events.players,
        events.games,
        coalesce(results.results_rated, 0) as results_rated,
        coalesce(results.results_not_rated, 0) as results_not_rated
    from events
    left join results using (list_month, event_id)
)

select * from settled
