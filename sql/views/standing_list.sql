-- One row per month and time control with a list that counts: imported, or of a calculation that counts.
create or replace temp view standing_list as
select list_kept.*
from list_kept semi join (
    select month from standing_calculation
    union
    select month from imported_list
) as standing using (month);
