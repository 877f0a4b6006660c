-- One row per player and time control on a list, with the player's FIDE ID of now: what a later list starts from. Of several
-- FIDE IDs of one person on one list one that has a rating counts; of these the one of now, else the lowest.
create or replace temp view list_to_stand_on as
with person as (
    select fide_id, now_id from current_identity
    union
    select now_id, now_id from current_identity
)
select * from list_state anti join person using (fide_id)
union all by name
select list_state.* replace (now_id as fide_id)
from list_state join person using (fide_id)
qualify row_number() over (
    partition by month, time_control, now_id
    order by rating is null, list_state.fide_id <> now_id, list_state.fide_id
) = 1;
