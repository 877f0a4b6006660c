-- Are these the right players, though their reports give the FIDE IDs other names (a wrong one is put right with
-- ratinglist correct report EVENT --id WRONG=RIGHT)?
-- The names that are alike, and those that are not: analysis/unlike_names.py. `fits`: whose registered name it is.
select event_id, file, line, fide_id, name, birth_year, registered, registered_year, fits
from unlike_line
order by event_id, file, line, fide_id;
