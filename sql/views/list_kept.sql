-- One row per month and time control that has a list: imported, or of the newest calculation of its month.
create or replace temp view list_kept as
select month, time_control from list_imported
union
select month, time_control from list_calculated;
