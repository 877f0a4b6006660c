-- ask: Is it right that the list is published without these reports, which were received in time and loaded since it was
-- calculated?
-- when: publish
-- remedy: ratinglist rate {month}{rules}
select file_name as file, event_id, strftime(received_on, '%Y-%m-%d') as received_on
from report_since where month = $month and not is_published
