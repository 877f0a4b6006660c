-- A player without rated games has no change.
-- For the FIDE system only.
select time_control, fide_id, games, change, change_hundredths, status
from player_totals
where rated_games = 0
    and (coalesce(change, 0) <> 0 or coalesce(change_hundredths, 0) <> 0 or (games > 0 and status <> 'entered'))
union all
select time_control, fide_id, games, change, change_hundredths, status
from player_totals
where status = 'rated' and games <= 0;
