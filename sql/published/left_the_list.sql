-- One row per list, time control and player who left it, with the name on the last list before: below the floor (delisted),
-- or for another reason of the system (lapsed).
with leaving as (
    select list_month, time_control, fide_id, old_rating, games, change, status
    from changes
    where status in ('delisted', 'lapsed') and old_rating is not null
),

named as (
    select list_month as last_listed, time_control, fide_id, name, federation
    from lists
),

departures as (
    select
        leaving.list_month,
        leaving.time_control,
        leaving.fide_id,
        named.name,
        named.federation,
        named.last_listed,
        leaving.old_rating,
        leaving.games,
        leaving.change,
        leaving.status
    from leaving
    asof left join named
        on
            leaving.time_control = named.time_control
            and leaving.fide_id = named.fide_id
            and leaving.list_month > named.last_listed
)

select * from departures
