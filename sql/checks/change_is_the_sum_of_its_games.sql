-- A player's exact change is the sum of the changes of the player's rated games, and K and the number of games are
-- those of these games.
-- K is empty where the games had different ones.
-- For the FIDE system only.
with summed as (
    -- a player who enters has no rated games
    select
        time_control,
        fide_id,
        case when status <> 'entered' then games end as games,
        case when status <> 'entered' then k end as k,
        case when status <> 'entered' then change_hundredths end as change_hundredths,
        nullif(rated_games, 0) as summed_games,
        least_k,
        largest_k,
        case when rated_games > 0 then summed_hundredths end as summed_hundredths
    from player_totals
    where status is distinct from 'entered' or rated_games > 0
)
select *
from summed
where coalesce(games, -1) <> coalesce(summed_games, 0)
    or coalesce(change_hundredths, -1) <> coalesce(summed_hundredths, 0)
    or k is distinct from case when least_k = largest_k then least_k end;
