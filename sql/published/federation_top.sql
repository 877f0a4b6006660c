-- One row per active player of a list: the place in the federation and on the list. Equal ratings share a place.
with active as (
    select list_month, time_control, fide_id, name, federation, sex, title, rating, birth_year, flag
    from lists
    where flag not like '%i%'
),

placed as (
    select
        list_month,
        time_control,
        federation,
        rank() over (partition by list_month, time_control, federation order by rating desc) as federation_place,
        rank() over (partition by list_month, time_control order by rating desc) as place,
        fide_id,
        name,
        sex,
        title,
        rating,
        birth_year,
        flag
    from active
)

select * from placed
