-- One row per person: the newest version of a player's data, without the IDs that were merged into another.
create or replace temp view registered_person as
select player_now.* from player_now anti join current_identity using (fide_id);
