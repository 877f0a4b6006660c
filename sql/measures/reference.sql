-- One row for all players on both lists, and one per band of 100 points of the own rating. The lines of best fit, of the
-- own rating by the reference rating and the other way round, are of all players.
with compared as (
    select rating::hugeint as own, reference_rating::hugeint as other, rating // 100 * 100 as band
    from listed
    where reference_rating is not null
),
sums as (
    select band,
        count(*) as players,
        sum(own - other) as difference_sum,
        players * sum(own * other) - sum(own) * sum(other) as rise,
        players * sum(other * other) - sum(other) * sum(other) as across,
        players * sum(own * own) - sum(own) * sum(own) as reverse_across,
        sum(own) * sum(other * other) - sum(other) * sum(own * other) as start,
        sum(other) * sum(own * own) - sum(own) * sum(own * other) as reverse_start
    from compared
    group by grouping sets ((), (band))
)
select band, players, difference_sum,
    mean_hundredths(difference_sum, players) as mean_difference_hundredths,
    if(band is null and across <> 0, floor((20000 * rise + across) / (2 * across)), null) as slope_ten_thousandths,
    if(band is null and across <> 0, floor((200 * start + across) / (2 * across)), null) as intercept_hundredths,
    if(band is null and reverse_across <> 0, floor((20000 * rise + reverse_across) / (2 * reverse_across)), null)
        as reverse_slope_ten_thousandths,
    if(band is null and reverse_across <> 0, floor((200 * reverse_start + reverse_across) / (2 * reverse_across)), null)
        as reverse_intercept_hundredths
from sums
where players > 0
order by band nulls first
