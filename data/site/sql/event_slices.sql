-- The events of a month in slices of some 4,000 players' games, of more where there would be more than 150 slices: the
-- events, their players, and each side of a game as it is published, with the numbers of both players in the event.
-- An event that is as in the month before, such as one that waits, is in the slice that has it there.
insert into event_place
with held as (
    select event_id, hash(side) as digest from (
        select games.* exclude (month), people.name, people.federation, people.title
        from games left join people using (fide_id) where month = getvariable('month')
    ) as side
    union all
    select event_id, hash(event) from (select * exclude (month) from events where month = getvariable('month')) as event
),
known as (select event_id, sum(digest) as digest, count(*) + 7 as size from held group by event_id),
kept as (
    select known.event_id, known.digest, before.first, before.slice, before.event
    from known join event_place as before using (event_id, digest)
    where before.month = getvariable('month') - 1
),
new as (select *, sum(size) over () as total, sum(size) over (order by event_id) as until from known anti join kept using (event_id)),
filled as (select event_id, digest, (until - size) // greatest(4000, total // 150) as part from new)
select
    getvariable('month'), event_id, digest, getvariable('month'), dense_rank() over (order by part) - 1,
    row_number() over (partition by part order by event_id) - 1
from filled
union all select getvariable('month'), event_id, digest, first, slice, event from kept;

create or replace temp view new_place as
from event_place where month = getvariable('month') and first = getvariable('month');

create or replace temp table new_games as
from games semi join new_place using (event_id) where month = getvariable('month');

create or replace temp table event_events as
select
    slice, event as position, event, place.event_id, name, federation, control_number(time_control) as control,
    start_date::varchar as start_date, end_date::varchar as end_date, status, reason, rule_set
from new_place as place
left join (from events where month = getvariable('month')) as event using (event_id)
left join (select event_id, min(rule_set) as rule_set from new_games group by event_id) using (event_id);

create or replace temp table event_numbers as
with named as (
    select event_id, fide_id from new_games union select event_id, opponent_id from new_games
)
select slice, event, event_id, fide_id, row_number() over (partition by event_id order by fide_id) - 1 as number
from named join new_place using (event_id);

create or replace temp table event_players as
select
    slice, row_number() over (order by slice, event, number) as position, event, fide_id as id, name, federation, title
from event_numbers left join people using (fide_id);

-- A performance is the mean of the opponents' ratings and the difference for the share of the points, rounded half up.
create or replace temp table event_sides as
with sums as (
    select event_id, fide_id, min(round) as round, sum(opponent_rating)::bigint as ratings, count(opponent_rating) as rated,
        sum(score_halves) filter (where opponent_rating is not null)::bigint as halves
    from new_games group by event_id, fide_id
),
performances as (
    select event_id, fide_id, round, (2 * ratings + rated) // (2 * rated) + dp as performance
    from sums join differences on share = (100 * halves + rated) // (2 * rated)
    where rated > 0
)
select
    slice, row(event, player.number, own.round, opponent.number) as position, event, player.number as player,
    opponent.number as opponent, own.round, own.date::varchar as date, own.colour,
    own.score_halves, own.rating, own.opponent_rating,
    case when own.difference_used is distinct from own.difference then own.difference end as difference,
    case when own.difference_used is distinct from own.difference then own.difference_used end as difference_used,
    own.expected_hundredths, own.k, own.change_hundredths, own.reason, performances.performance
from new_games as own
join event_numbers as player using (event_id, fide_id)
left join (select event_id, fide_id as opponent_id, number from event_numbers) as opponent using (event_id, opponent_id)
left join performances using (event_id, fide_id, round);
