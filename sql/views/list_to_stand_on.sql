-- One row per player and time control on a list, with the player's FIDE ID of now: what a later list starts from, by
-- basis: as it is now known (corrected), or as it was first published. Of two FIDE IDs of one person on one list, the
-- one of now counts; of two that were both merged into another, the lower.
create or replace temp view list_to_stand_on as
with known as not materialized (
    select 'corrected' as basis, * from list_state
    union all by name
    select 'published' as basis, * from first_published_state
),
moved as (
    select known.* replace (current_identity.now_id as fide_id), known.fide_id as raw_id
    from known join current_identity using (fide_id)
    qualify row_number() over (partition by basis, month, time_control, now_id order by raw_id) = 1
)
select * from known anti join current_identity using (fide_id)
union all by name
select moved.* exclude (raw_id) from moved anti join known as own using (basis, month, time_control, fide_id);
