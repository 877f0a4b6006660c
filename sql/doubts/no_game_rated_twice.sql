-- stop: An event is rated by one list only; the later one leaves it out once it is calculated again.
-- when: publish
-- remedy: ratinglist rate {rate_again}{rules}
--
-- Slices of one event have one code and start on different days.
select earlier.event_id, earlier.month as rated_by, greatest(earlier.month, $month) as rate_again
from event as earlier join event using (event_id, start_date)
where event.month = $month and earlier.month <> $month and earlier.status = 'rated' and event.status = 'rated'
