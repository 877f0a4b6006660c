-- One row per player and time control on a list, as the first revision of its month showed it; as it is where the
-- month was never published.
create or replace view first_published_state as
with shown as (
    select month, arg_min(calculation_no, revision) as calculation_no from publication group by month
),
then_known as (
    select list_state_past.*
    from list_state_past join shown using (month)
    where replaced_by > shown.calculation_no
    qualify row_number() over (partition by month, time_control, fide_id order by replaced_by) = 1
)
select list_state.* from list_state anti join then_known using (month, time_control, fide_id)
union all by name
select then_known.* exclude (is_absent, replaced_by) from then_known where not is_absent;
