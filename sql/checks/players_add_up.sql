-- The list before, and who entered, less who was delisted, is the new list.
with old as (
    select time_control, fide_id from earlier_list where is_newest and rating is not null
),
listed_before as (
    select time_control, count(*) as listed_before from old group by time_control
),
listed_now as (
    select time_control, count(rating) as listed from list_state where month = $month group by time_control
),
computed as (
    select time_control, fide_id, status, old_rating from change where month = $month
),
came_and_went as (
    select
        time_control,
        count(*) filter (status = 'entered') as entered,
        -- who fell below the floor from a standard rating that stood in was on no list before
        count(*) filter (status = 'delisted' and was_listed) as delisted
    from computed left join (select *, true as was_listed from old) as old using (time_control, fide_id)
    group by time_control
),
stood_in as (
    select time_control, count(*) as from_standard
    from computed anti join old using (time_control, fide_id)
    where status = 'rated' group by time_control
),
counts as (
    select
        listed_now.time_control,
        coalesce(listed_before, 0) as listed_before,
        coalesce(entered, 0) as entered,
        coalesce(delisted, 0) as delisted,
        coalesce(from_standard, 0) as from_standard,
        listed
    from listed_now
    semi join (select time_control from earlier_list where is_newest) as continued using (time_control)
    left join listed_before using (time_control)
    left join came_and_went using (time_control)
    left join stood_in using (time_control)
)
select *
from counts
where listed <> listed_before + entered + from_standard - delisted;
