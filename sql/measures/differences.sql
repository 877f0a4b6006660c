-- One row per pair of systems, measure and group of games: the mean loss of the one less that of the other on the games
-- that both predict, with the standard error and the interval of 95 %, clustered by event: the games of an event share
-- players and a day. Of an event n is the number of games and d the sum of their differences; with the mean m over all
-- games, the sum of (d - nm)² over the events is that of d² - 2mnd + m²n².
with of_event as (
    select
        one.system,
        other.system as reference,
        event_id,
        case
            when grouping(one.rating_band) = 0 then 'rating_band'
            when grouping(one.newcomers) = 0 then 'newcomers'
            when grouping(one.age) = 0 then 'age'
            else 'all'
        end as grouping,
        coalesce(one.rating_band, one.newcomers, one.age, '') as value,
        count(*)::double as n,
        unnest([
            {'measure': 'log_loss', 'd': sum(one.log_loss - other.log_loss)},
            {'measure': 'deviance', 'd': sum(one.deviance - other.deviance)},
            {'measure': 'brier', 'd': sum(one.brier - other.brier)}
        ], recursive := true)
    from scored as one join scored as other using (event_id, round, white_id, black_id)
    where one.system <> other.system
    group by grouping sets (
        (one.system, other.system, event_id),
        (one.system, other.system, event_id, one.rating_band),
        (one.system, other.system, event_id, one.newcomers),
        (one.system, other.system, event_id, one.age)
    )
),
sums as (
    select system, reference, measure, grouping, value,
        sum(n) as games,
        count(*) as events,
        sum(d)::double / games as mean,
        -- Whole numbers, so that the sums are the same in any order.
        sum(d::hugeint * d::hugeint)::double as dd,
        sum(n::hugeint * d::hugeint)::double as nd,
        sum(n::hugeint * n::hugeint)::double as nn,
        sqrt(greatest(dd - 2 * mean * nd + mean * mean * nn, 0)) / games as error
    from of_event
    where grouping = 'all' or value <> ''
    group by all
)
select system, reference, measure, grouping, value, games, events,
    round(mean / 1000) as difference_millionths,
    round(error / 1000) as error_millionths,
    floor((mean - 1.96 * error) / 1000) as low_millionths,
    ceil((mean + 1.96 * error) / 1000) as high_millionths
from sums
order by reference, system, measure, grouping, value
