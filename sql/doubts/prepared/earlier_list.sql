-- One row per player of one of the lists in earlier.
select list_no, is_newest, time_control, fide_id, rating, games_played, reached_2400, reached_2300
from list_to_stand_on join earlier using (time_control, month)
