-- The places of active players on the newest lists: in the federation, and in the narrowest age group of it.
create or replace table place as
with active as (
    select time_control, fide_id, federation, birth_year, rating from lists
    where month = getvariable('month') and is_active(flag)
),
of_group as (
    select
        time_control, fide_id, age_group, last - first as years,
        rank() over same_group as place, count(*) over (partition by time_control, federation, age_group) as players
    from active join age_groups on birth_year between first and last
    window same_group as (partition by time_control, federation, age_group order by rating desc)
),
narrowest as (select distinct on (time_control, fide_id) * from of_group order by time_control, fide_id, years)
select
    control_number(time_control) as control, fide_id,
    rank() over (partition by time_control, active.federation order by rating desc) as place,
    count(*) over (partition by time_control, active.federation) as players,
    age_group, narrowest.place as place_of_group, narrowest.players as players_of_group
from active left join narrowest using (time_control, fide_id);

create or replace table event_names as select event_id, any_value(name) as name from events group by event_id;

-- The months in which an event is as its first one has it.
create or replace table event_runs as
select event_id, first, max(month) as last, slice as file, event from event_place group by all;

-- The ratings of the newest lists, a row for each player.
create or replace temp view rated as
select
    fide_id, any_value(rating) filter (time_control = 'standard') as standard,
    any_value(rating) filter (time_control = 'rapid') as rapid,
    any_value(rating) filter (time_control = 'blitz') as blitz
from lists where month = getvariable('month') group by fide_id;
