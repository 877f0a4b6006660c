-- ask: Why did players with {mean_change_games} games or more gain or lose more than {mean_change_points} points on
-- average?
-- when: publish
--
-- And more than three standard errors, which chance alone seldom gives.
with played as (
    select time_control, change::bigint as change
    from change
    where month = $month and status <> 'entered' and games >= $mean_change_games
),
sums as (
    select time_control, count(*)::integer as players, sum(change)::hugeint as total, sum(change * change)::hugeint as squares
    from played
    group by time_control
)
select time_control, players, total::bigint as sum_of_changes,
    (sign(total) * ((200 * abs(total) + players) // (2 * players)))::integer as mean_change_hundredths
from sums
-- the standard error of the sum is the root of the sum of squares; 9 is the square of three
where players >= $mean_change_players and abs(total) > $mean_change_points::hugeint * players and total * total > 9 * squares
order by time_control
