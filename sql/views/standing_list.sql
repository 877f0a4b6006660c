-- One row per month and time control with a list that counts: imported, or of a calculation that counts.
create or replace temp view standing_list as
select month, time_control from list_imported
union
select month, unnest(lists) from calculation where is_standing;
