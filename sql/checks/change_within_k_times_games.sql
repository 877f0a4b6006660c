-- No change is more than K in a game, nor more than K times the games in the period.
select time_control, fide_id, null as event_id, change.games, change.change, change.change_hundredths,
    coalesce(at_most, 0) as at_most
from change left join rated_in_period using (time_control, fide_id)
where change.month = $month
    and change.change_hundredths is not null
    and (abs(change.change_hundredths) > 100 * coalesce(at_most, 0) or abs(change.change) > coalesce(at_most, 0))
union all
select event.time_control, side.fide_id, event.event_id, 1, null, side.change_hundredths, side.k
from side join event using (event_no)
where event.month = $month and abs(side.change_hundredths) > 100 * side.k;
