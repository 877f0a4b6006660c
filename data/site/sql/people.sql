-- Everybody whom the changes and games of a month name, as the list of the month or the one before has them.
create or replace temp table people as
with wanted as (
    select fide_id from changes where month = getvariable('month')
    union select fide_id from games where month = getvariable('month')
    union select opponent_id from games where month = getvariable('month')
),
named as (
    select fide_id, {name: name, federation: federation, title: title} as person, 2 * month + 1 as rank from lists
    union all select fide_id, {name: name, federation: federation, title: ''}, 2 * month from unrated
)
select fide_id, unnest(arg_max(person, rank)) from named semi join wanted using (fide_id) group by fide_id;
