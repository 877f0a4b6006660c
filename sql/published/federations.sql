-- One row per list, time control and federation: how many players it has there, and their games.
with listed as (
    select list_month, time_control, federation, fide_id, sex, rating, games, flag
    from lists
),

counted as (
    select
        list_month,
        time_control,
        federation,
        count(*) as players,
        count(*) filter (where flag not like '%i%') as active,
        count(*) filter (where sex = 'F') as women,
        count(*) filter (where games > 0) as played,
        sum(games)::bigint as games,
        max(rating) as highest_rating
    from listed
    group by list_month, time_control, federation
)

select * from counted
