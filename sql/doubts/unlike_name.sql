-- ask: Are these the right players, though their FIDE IDs are registered for other names?
-- when: import-players publish
--
-- The names that are alike, and those that are not: names/alike.py. `fits`: whose registered name it is. A wrong
-- FIDE ID of a report is put right with ratinglist correct report EVENT --id WRONG=RIGHT.
select * from unlike_line order by all
