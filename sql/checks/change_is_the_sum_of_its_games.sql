-- A player's exact change is the sum of the changes of his rated games, and his games are counted once each.
with sums as (
    select time_control, fide_id, count(*) as games, sum(change_hundredths)::bigint as change_hundredths
    from game
    where month = $month and rated
    group by time_control, fide_id
)
select change.time_control, change.fide_id, change.games, change.change_hundredths, sums.games as summed_games,
    sums.change_hundredths as summed_hundredths
from (select * from change where month = $month and status <> 'entered') as change
full join sums using (time_control, fide_id)
where coalesce(change.games, -1) <> coalesce(sums.games, 0)
    or coalesce(change.change_hundredths, -1) <> coalesce(sums.change_hundredths, 0);
