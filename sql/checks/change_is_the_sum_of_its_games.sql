-- A player's exact change is the sum of the changes of his rated games, his games are counted once each, and his K is that
-- of all of them, or empty where they had different ones.
select time_control, fide_id, change.games, change.k, change.change_hundredths, rated.games as summed_games,
    rated.least_k, rated.largest_k, rated.change_hundredths as summed_hundredths
from (select * from change where month = $month and status <> 'entered') as change
full join rated_in_period as rated using (time_control, fide_id)
where coalesce(change.games, -1) <> coalesce(rated.games, 0)
    or coalesce(change.change_hundredths, -1) <> coalesce(rated.change_hundredths, 0)
    or change.k is distinct from case when rated.least_k = rated.largest_k then rated.least_k end;
