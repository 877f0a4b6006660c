-- The list before, and who entered, less who was delisted, is the new list.
with before as (
    select time_control, max(month) as month from list_state where month < $month group by time_control
),
counts as (
    select
        before.time_control,
        (select count(*) from list_state
            where list_state.month = before.month and list_state.time_control = before.time_control
                and rating is not null) as listed_before,
        (select count(*) from change
            where change.month = $month and change.time_control = before.time_control and status = 'entered') as entered,
        (select count(*) from change
            where change.month = $month and change.time_control = before.time_control
                and status = 'delisted' and old_rating is not null) as delisted,
        (select count(*) from change
            where change.month = $month and change.time_control = before.time_control
                and status = 'rated' and not exists (
                    select 1 from list_state
                    where list_state.month = before.month and list_state.time_control = before.time_control
                        and list_state.fide_id = change.fide_id and list_state.rating is not null)) as from_standard,
        (select count(*) from list_state
            where list_state.month = $month and list_state.time_control = before.time_control
                and rating is not null) as listed
    from before
    where before.time_control in (select time_control from list_state where month = $month)
)
select *
from counts
where listed <> listed_before + entered + from_standard - delisted;
