-- The events of a month in slices of some 4,000 players' games: the events, and each side of a game as it is published.
insert into event_place
with known as (
    select event_id from events where month = getvariable('month')
    union select event_id from games where month = getvariable('month')
),
sizes as (
    select event_id, count(games.event_id) + 8 as size
    from known left join (select event_id from games where month = getvariable('month')) as games using (event_id)
    group by event_id
),
filled as (select event_id, (sum(size) over (order by event_id) - size) // 4000 as part from sizes)
select
    getvariable('month'), event_id, dense_rank() over (order by part) - 1,
    row_number() over (partition by part order by event_id) - 1
from filled;

create or replace temp table event_events as
select
    slice, event as position, event, place.event_id, name, federation, control_number(time_control) as control,
    start_date::varchar as start_date, end_date::varchar as end_date, status, reason, rule_set
from event_place as place
left join (from events where month = getvariable('month')) as event using (event_id)
left join (
    select event_id, min(rule_set) as rule_set from games where month = getvariable('month') group by event_id
) using (event_id)
where place.month = getvariable('month');

-- A performance is the mean of the opponents' ratings and the difference for the share of the points, rounded half up.
create or replace temp table event_sides as
with sums as (
    select event_id, fide_id, min(round) as round, sum(opponent_rating)::bigint as ratings, count(opponent_rating) as rated,
        sum(score_halves) filter (where opponent_rating is not null)::bigint as halves
    from games where month = getvariable('month') group by event_id, fide_id
),
performances as (
    select event_id, fide_id, round, (2 * ratings + rated) // (2 * rated) + dp as performance
    from sums join differences on share = (100 * halves + rated) // (2 * rated)
    where rated > 0
)
select
    slice, row_number() over (order by slice, event, own.fide_id, own.round, own.opponent_id) as position, event, own.round,
    own.date::varchar as date, own.fide_id as id, own.opponent_id, own.colour, own.score_halves, own.rating,
    own.opponent_rating,
    case when own.difference_used is distinct from own.difference then own.difference end as difference,
    case when own.difference_used is distinct from own.difference then own.difference_used end as difference_used,
    own.expected_hundredths, own.k, own.change_hundredths, own.reason, performance
from games as own
join event_place as place on place.event_id = own.event_id and place.month = own.month
left join performances on performances.event_id = own.event_id and performances.fide_id = own.fide_id
    and performances.round = own.round
where own.month = getvariable('month');

create or replace temp table event_players as
with named as (
    select slice, id from event_sides union select slice, opponent_id from event_sides
)
select slice, id as position, id, name, federation, title
from named left join people on people.fide_id = named.id;
