-- One row per month and time control with a list that counts: imported, or of a calculation that counts.
create or replace temp view standing_list as
select month, time_control from list_imported
union
select month, time_control from list_calculated;
