-- One row per player of an event, in the order of the standings.
with own as (
    select player, start_number, count(opponent)::integer as games,
        coalesce(sum(score_halves), 0)::integer as score_halves,
        (count(*) filter (opponent is not null and score_halves = 2))::integer as wins
    from player_of_event left join result using (player)
    group by all
),
met as (
    select result.player, result.score_halves, coalesce(own.score_halves, 0) as opponent_halves
    from result left join own on own.player = result.opponent
    where opponent is not null or is_fictitious
),
sums as (
    select player, sum(opponent_halves) - min(opponent_halves) as others, min(opponent_halves) as lowest,
        sum(score_halves * opponent_halves) as quarters
    from met group by player
),
summed as (
    select own.*, (score_halves + coalesce(others, 0))::integer as buchholz_halves, lowest as lowest_opponent_halves,
        (2 * score_halves + coalesce(quarters, 0))::integer as sonneborn_berger_quarters
    from own left join sums using (player)
),
placed as (
    select *, dense_rank() over (
            order by score_halves desc,
                case when $buchholz then buchholz_halves else sonneborn_berger_quarters end desc,
                case when $buchholz then coalesce(lowest_opponent_halves, 0) end desc
        ) as place
    from summed
),
against as (
    select placed.player, other.place, sum(result.score_halves) as halves
    from placed join result using (player) join placed as other on other.player = result.opponent
    group by all
),
-- The half points against every place, the first one first.
in_order as (
    select player, list(coalesce(halves, 0) order by place) as halves_by_place
    from (from placed select player) cross join (from placed select distinct place)
    left join against using (player, place)
    group by player
)
select rank() over (
        order by placed.place,
            case when $buchholz then coalesce(against.halves, 0) end desc,
            case when not $buchholz then halves_by_place end desc,
            wins desc
    )::integer as rank,
    player, start_number, games, score_halves, buchholz_halves, lowest_opponent_halves, sonneborn_berger_quarters,
    coalesce(against.halves, 0)::integer as direct_halves, wins
from placed join in_order using (player) left join against using (player, place)
order by rank, start_number
