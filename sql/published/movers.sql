-- One row per list, time control and listed player with rated games: the change of the rating.
with moved as (
    select list_month, time_control, fide_id, old_rating, games, k, change_hundredths, change, new_rating
    from changes
    where status = 'rated' and new_rating is not null
),

named as (
    select list_month, time_control, fide_id, name, federation, sex, title, birth_year
    from lists
),

named_moves as (
    select
        list_month,
        time_control,
        fide_id,
        name,
        federation,
        sex,
        title,
        birth_year,
        games,
        k,
        old_rating,
        change_hundredths,
        change,
        new_rating
    from moved
    inner join named using (list_month, time_control, fide_id)
)

select * from named_moves
