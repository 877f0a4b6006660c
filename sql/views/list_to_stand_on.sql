-- One row per player and time control on a list, with the player's FIDE ID of now: what a later list starts from. Of two
-- FIDE IDs of one person on one list, the one of now counts; of two that were both merged into another, the lower.
create or replace temp view list_to_stand_on as
with moved as (
    select list_state.* replace (current_identity.now_id as fide_id), list_state.fide_id as raw_id
    from list_state join current_identity using (fide_id)
    qualify row_number() over (partition by month, time_control, now_id order by raw_id) = 1
)
select * from list_state anti join current_identity using (fide_id)
union all by name
select moved.* exclude (raw_id) from moved anti join list_state as own using (month, time_control, fide_id);
