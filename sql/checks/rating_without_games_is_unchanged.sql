-- A player for whom nothing was calculated keeps the rating of the list before.
-- A list with a one-time step moves all players, and is not checked here. Only time controls in the prepared table
-- unexplained are searched.
-- For the FIDE system only.
with old as (
    select time_control, fide_id, rating
    from (select * from earlier semi join unexplained using (time_control) where is_newest) as newest
    join earlier_list using (list_no)
),
new as (
    select time_control, fide_id, rating
    from list_state semi join unexplained using (time_control)
    where month = $month
),
moved as (
    select time_control, fide_id, old.rating as old_rating, new.rating as new_rating
    from old full join new using (time_control, fide_id)
    where old.rating is distinct from new.rating
)
select moved.*
from moved anti join (select * from change where month = $month) as computed using (time_control, fide_id)
where (select one_time_step from calculation where month = $month) = ''
    and moved.time_control in (select time_control from list_state where month = $month);
