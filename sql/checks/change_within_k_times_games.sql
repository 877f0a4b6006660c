-- No change is more than K for a game, nor more than K times the games in the period.
-- For the FIDE system only.
with suspected as (
    select time_control, fide_id, games, change, change_hundredths
    from player_totals
    where change_hundredths is not null
        and greatest(abs(change_hundredths), 100 * abs(coalesce(change, 0))) > 100 * rated_games * coalesce(least_k, 0)
),
allowed as (
    select time_control, fide_id, sum(in_event.games * in_event.largest_k)::bigint as at_most
    from in_event join event_of_month as event using (event_no)
    semi join suspected using (time_control, fide_id)
    where event.month = $month
    group by time_control, fide_id
)
select time_control, fide_id, null as event_id, games, change, change_hundredths, coalesce(at_most, 0) as at_most
from suspected left join allowed using (time_control, fide_id)
where abs(change_hundredths) > 100 * coalesce(at_most, 0) or abs(change) > coalesce(at_most, 0)
union all
-- a side that is not in doubt is within K
select event.time_control, side.fide_id, event.event_id, 1, null, side.change_hundredths, side.k
from side_in_doubt as side join event_of_month as event using (event_no)
where event.month = $month and abs(side.change_hundredths) > 100 * side.k;
