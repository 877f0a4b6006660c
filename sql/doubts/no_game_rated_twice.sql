-- stop: An event is rated by one list only; the later one leaves it out once it is calculated again.
-- when: publish
-- remedy: {to_rate_it_once}
--
-- Slices of one event have one code and start on different days. A later list that is published stands in the way of one
-- that is not, until readers have it no more.
select earlier.event_id, earlier.month as rated_by,
    case
        when earlier.month > $month and earlier.month in (select month from current_revision)
            then 'ratinglist rollback ' || earlier.month || ' --to none --because "it rates events of ' || $month || '"'
        else 'ratinglist rate ' || greatest(earlier.month, $month) || $rules
    end as to_rate_it_once
from event as earlier join event using (event_id, start_date)
where event.month = $month and earlier.month <> $month and earlier.status = 'rated' and event.status = 'rated'
