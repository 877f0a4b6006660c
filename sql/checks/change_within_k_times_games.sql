-- No change is more than K in a game, nor more than K times the games in the period.
select time_control, fide_id, null as event_id, games, change, change_hundredths, at_most
from reckoned
where change_hundredths is not null and (abs(change_hundredths) > 100 * at_most or abs(change) > at_most)
union all
select event.time_control, side.fide_id, event.event_id, 1, null, side.change_hundredths, side.k
from side_of_month as side join event using (event_no)
where event.month = $month and abs(side.change_hundredths) > 100 * side.k;
