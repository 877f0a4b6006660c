-- A rating that nothing was computed for is the one on the list before. (A list with a one-time step moves everybody.)
with stood_on as (
    select * from list_to_stand_on
    where month < $month and basis = (select continue_from from calculation where month = $month)
),
before as (
    select time_control, max(month) as month from stood_on group by time_control
),
old as (
    select stood_on.* from stood_on semi join before using (time_control, month)
)
select old.time_control, old.fide_id, old.rating as old_rating, new.rating as new_rating
from old full join (select * from list_state where month = $month) as new using (time_control, fide_id)
where not exists (
        select 1 from change
        where change.month = $month
            and change.time_control = coalesce(old.time_control, new.time_control)
            and change.fide_id = coalesce(old.fide_id, new.fide_id)
    )
    and old.rating is distinct from new.rating
    and (select one_time_step from calculation where month = $month) = ''
    and coalesce(old.time_control, new.time_control) in (select time_control from list_state where month = $month);
