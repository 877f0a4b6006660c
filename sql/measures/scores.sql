-- One row per system and set of games: its own, and those that every system with a list each month predicts.
with common as (
    select event_id, round, white_id, black_id
    from scored semi join monthly using (system)
    group by all
    having count(*) = (select count(*) from monthly)
),
sets as (
    select 'own' as games_of, * from scored
    union all
    select 'common', * from scored semi join monthly using (system) semi join common using (event_id, round, white_id, black_id)
),
unrated as (
    select system, 'own' as games_of, count(*) - count(expected_billionths) as unrated from prediction group by system
)
select
    system,
    games_of,
    count(*) as games,
    any_value(unrated) as unrated,
    mean_millionths(sum(log_loss), count(*)) as log_loss_millionths,
    mean_millionths(sum(deviance), count(*)) as deviance_millionths,
    mean_millionths(sum(brier), count(*)) as brier_millionths,
    count(*) filter (is_decisive) as decisive,
    count(*) filter (won_by_favourite) as won_by_favourite,
    mean_millionths(1000000000::hugeint * count(*) filter (won_by_favourite), count(*) filter (is_decisive)) as accuracy_millionths,
    count(*) filter (halves = 1) as drawn
from sets left join unrated using (system, games_of)
group by system, games_of
order by games_of, system
