-- The slice of each event of a month, and its number there.
select event_id, slice as file, event from event_place where month = getvariable('month') order by event_id;
