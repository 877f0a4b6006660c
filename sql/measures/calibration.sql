-- One row per system and group of games: White's mean score and expected score, and the standard error of their
-- difference, every game taken by itself.
with sums as (
    select
        system,
        case
            when grouping(difference) = 0 then 'difference'
            when grouping(rating_band) = 0 then 'rating_band'
            when grouping(newcomers) = 0 then 'newcomers'
            when grouping(age) = 0 then 'age'
            else 'all'
        end as grouping,
        coalesce(difference, rating_band, newcomers, age, '') as value,
        count(*) as games,
        sum(expected) as expected,
        sum(halves) as halves,
        sum(log_loss) as log_loss,
        sum(brier) as brier
    from scored
    group by grouping sets (
        (system), (system, difference), (system, rating_band), (system, newcomers), (system, age)
    )
)
select system, grouping, value, games,
    mean_millionths(expected, games) as expected_millionths,
    mean_millionths(halves * 500000000::hugeint, games) as score_millionths,
    mean_millionths(log_loss, games) as log_loss_millionths,
    -- Of score less expected score, in points: the sum of the squares, and less n times the square of the mean.
    (halves * 500000000::hugeint - expected) / 1e9 as total,
    greatest(brier / 1e9 - total * total / games, 0) as squares,
    if(games > 1, round(1e6 * sqrt(squares / (games * (games - 1)))), null) as error_millionths
from sums
where grouping = 'all' or value <> ''
order by system, grouping, value
