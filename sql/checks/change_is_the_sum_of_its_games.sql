-- A player's exact change is the sum of the changes of his rated games, and his games are counted once each.
with per_event as (
    select event_no, fide_id, count(*) as games, sum(change_hundredths)::bigint as change_hundredths
    from side semi join (select event_no from event where month = $month) as of_month using (event_no)
    where change_hundredths is not null
    group by event_no, fide_id
),
sums as (
    select event.time_control, per_event.fide_id, sum(per_event.games)::bigint as games,
        sum(per_event.change_hundredths)::bigint as change_hundredths
    from per_event join event using (event_no)
    group by event.time_control, per_event.fide_id
)
select change.time_control, change.fide_id, change.games, change.change_hundredths, sums.games as summed_games,
    sums.change_hundredths as summed_hundredths
from (select * from change where month = $month and status <> 'entered') as change
full join sums using (time_control, fide_id)
where coalesce(change.games, -1) <> coalesce(sums.games, 0)
    or coalesce(change.change_hundredths, -1) <> coalesce(sums.change_hundredths, 0);
