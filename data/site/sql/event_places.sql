-- The month whose slices have each event of a month, the slice of it, and the number of the event there.
select event_id, first, slice as file, event from event_place where month = getvariable('month') order by event_id;
