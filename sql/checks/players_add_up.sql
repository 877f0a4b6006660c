-- The list before, and who entered, less who was delisted, is the new list.
with stood_on as (
    select * from list_to_stand_on
    where month < $month and basis = (select continue_from from calculation where month = $month)
),
before as (
    select time_control, max(month) as month from stood_on group by time_control
),
counts as (
    select
        before.time_control,
        (select count(*) from stood_on
            where stood_on.month = before.month and stood_on.time_control = before.time_control
                and rating is not null) as listed_before,
        (select count(*) from change
            where change.month = $month and change.time_control = before.time_control and status = 'entered') as entered,
        (select count(*) from change
            where change.month = $month and change.time_control = before.time_control
                and status = 'delisted' and old_rating is not null) as delisted,
        (select count(*) from change
            where change.month = $month and change.time_control = before.time_control
                and status = 'rated' and not exists (
                    select 1 from stood_on
                    where stood_on.month = before.month and stood_on.time_control = before.time_control
                        and stood_on.fide_id = change.fide_id and stood_on.rating is not null)) as from_standard,
        (select count(*) from list_state
            where list_state.month = $month and list_state.time_control = before.time_control
                and rating is not null) as listed
    from before
    where before.time_control in (select time_control from list_state where month = $month)
)
select *
from counts
where listed <> listed_before + entered + from_standard - delisted;
