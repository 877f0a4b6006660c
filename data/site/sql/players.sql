-- What the pages of a part of the players show: those whose FIDE ID has the remainder `part` of `parts`.
create or replace temp table player_persons as
select
    fide_id % getvariable('slices') as slice, fide_id as position, fide_id as id,
    person.* exclude (fide_id), club, page as club_page
from person left join clubs using (fide_id) where fide_id % getvariable('parts') = getvariable('part');

-- A run of lists with the same figures is one row. It is found by joins, because a window keeps all its rows in memory.
create or replace temp table own_ratings as
select fide_id as id, control_number(time_control) as control, month, {'rating': rating, 'k': k, 'flag': flag} as figures
from lists where fide_id % getvariable('parts') = getvariable('part');

create or replace temp table player_ratings as
with begun as (
    from own_ratings anti join (select * replace (month + 1 as month) from own_ratings) using (id, control, month, figures)
),
ended as (
    from own_ratings anti join (select * replace (month - 1 as month) from own_ratings) using (id, control, month, figures)
),
runs as (
    select id, control, begun.month as first, min(ended.month) as last, figures
    from begun join ended using (id, control, figures)
    where ended.month >= begun.month
    group by id, control, begun.month, figures
)
select
    id % getvariable('slices') as slice, row_number() over (order by id, control, first) as position, id, control, first, last,
    figures.rating as rating, figures.k as k, figures.flag as flag
from runs;

create or replace temp table player_changes as
select
    fide_id % getvariable('slices') as slice, row_number() over (order by fide_id, month, time_control) as position,
    fide_id as id, month, control_number(time_control) as control, old_rating, games, k, change_hundredths, change,
    new_rating, status
from changes where fide_id % getvariable('parts') = getvariable('part');

create or replace temp table player_entries as
select
    fide_id % getvariable('slices') as slice, row_number() over (order by fide_id, month, time_control) as position,
    fide_id as id, month, control_number(time_control) as control, games, score_halves,
    (opponent_average * 100)::int as average_hundredths, p_hundredths, dp, computed_rating, published, reason
from entries where fide_id % getvariable('parts') = getvariable('part');

create or replace temp table player_waiting as
with own as (
    select
        fide_id as id, control_number(time_control) as control, event_id, games, score_halves, opponent_rating_sum,
        counted_month,
        strftime(strptime(nullif(expires_month, '') || '-01', '%Y-%m-%d') - interval 1 month, '%Y-%m') as last_month, month,
        month - row_number() over (partition by fide_id, time_control, event_id, counted_month order by month) as run
    from pool where fide_id % getvariable('parts') = getvariable('part')
),
runs as (
    select * exclude (month, run), min(month) as first, max(month) as last from own group by all
)
select
    id % getvariable('slices') as slice, row_number() over (order by id, first, counted_month, event_id) as position,
    runs.*, name
from runs left join event_names using (event_id);

create or replace temp table player_events as
with own as (
    select distinct fide_id, event_id, month as first from games where fide_id % getvariable('parts') = getvariable('part')
)
select
    fide_id % getvariable('slices') as slice, row_number() over (order by fide_id, first, file, event) as position,
    fide_id as id, first, last, file, event
from own join event_runs using (event_id, first);

create or replace temp table player_records as
select
    fide_id % getvariable('slices') as slice, row_number() over (order by fide_id, time_control, colour desc) as position,
    fide_id as id, control_number(time_control) as control, colour, count(*) filter (score_halves = 2) as won,
    count(*) filter (score_halves = 1) as drawn, count(*) filter (score_halves = 0) as lost
from games where rated and fide_id % getvariable('parts') = getvariable('part')
group by fide_id, time_control, colour;

create or replace temp table player_wins as
with won as (
    select
        *, row_number() over (
            partition by fide_id, time_control order by opponent_rating desc nulls last, month desc, event_id, opponent_id
        ) as position
    from games where rated and score_halves = 2 and fide_id % getvariable('parts') = getvariable('part')
)
select
    won.fide_id % getvariable('slices') as slice,
    row_number() over (order by won.fide_id, time_control, position) as position, won.fide_id as id,
    control_number(time_control) as control, opponent_id, name, title, opponent_rating, month
from won left join person on person.fide_id = opponent_id where won.position <= 3;

create or replace temp table player_places as
select fide_id % getvariable('slices') as slice, row_number() over (order by fide_id, control) as position,
    fide_id as id, place.* exclude (fide_id)
from place where fide_id % getvariable('parts') = getvariable('part');

create or replace temp table player_corrections as
select
    fide_id % getvariable('slices') as slice,
    row_number() over (order by fide_id, month, revision, time_control) as position, fide_id as id, month, revision,
    control_number(time_control) as control, old_rating, new_rating, cause, because
from diff where fide_id % getvariable('parts') = getvariable('part');

create or replace temp table player_rollbacks as
select
    fide_id % getvariable('slices') as slice, row_number() over (order by fide_id, month, step) as position,
    fide_id as id, month, control_number(time_control) as control, old_rating, new_rating, from_revision,
    to_revision, day, reason
from moved where fide_id % getvariable('parts') = getvariable('part');
