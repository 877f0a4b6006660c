-- A list of a month with the change of each player, in slices: of all players and, if it is long, by federation.
create or replace temp table listed as
with whole as (
    select
        fide_id, name, federation, sex, title, rating, change, games, k, birth_year, flag,
        changes.status = 'entered' as is_new,
        row_number() over (order by rating desc, fide_id) - 1 as position
    from lists left join (
        select fide_id, change, status from changes
        where month = getvariable('month') and time_control = getvariable('control')
    ) as changes using (fide_id)
    where month = getvariable('month') and time_control = getvariable('control')
),
parts as (
    select 'all' as part, * from whole
    union all
    select federation, * replace (row_number() over (partition by federation order by position) - 1 as position)
    from whole where getvariable('by_federation') and regexp_full_match(federation, '[A-Z]{3}')
)
select *, (dense_rank() over (order by part, position // getvariable('rows')) - 1)::int as slice from parts;
