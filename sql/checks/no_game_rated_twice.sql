-- An event is rated by one list only.
-- Slices of one event have one code and start on different days.
select earlier.event_id, earlier.month as rated_by
from event as earlier join event using (event_id, start_date)
where event.month = $month and earlier.month <> $month and earlier.status = 'rated' and event.status = 'rated';
