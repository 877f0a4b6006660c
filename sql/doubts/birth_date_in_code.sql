-- stop: The code of an event has the date of birth of a player, which became known after the report was loaded, and codes
-- are published: undo the delivery, and load the report again with another event_id.
-- when: publish
-- remedy: ratinglist retract {entry}
select file_name as file, loaded_no as entry from code_with_birth order by loaded_no, file_name
