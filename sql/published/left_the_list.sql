-- One row per list, time control and player removed below the floor, with the name on the last list before.
with delisted as (
    select list_month, time_control, fide_id, old_rating, games, change
    from changes
    where status = 'delisted'
),

named as (
    select list_month as last_listed, time_control, fide_id, name, federation
    from lists
),

departures as (
    select
        delisted.list_month,
        delisted.time_control,
        delisted.fide_id,
        named.name,
        named.federation,
        named.last_listed,
        delisted.old_rating,
        delisted.games,
        delisted.change
    from delisted
    asof left join named
        on
            delisted.time_control = named.time_control
            and delisted.fide_id = named.fide_id
            and delisted.list_month > named.last_listed
)

select * from departures
