-- An event is rated by one list only.
select earlier.event_id, earlier.month as rated_by
from event as earlier join event using (event_id)
where event.month = $month and earlier.month <> $month and earlier.status = 'rated' and event.status = 'rated';
