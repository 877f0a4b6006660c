-- note: events that arrived on or after {first_day} count for a later list: {events:,}; if that is wrong, load them again
-- with --received YYYY-MM-DD
-- when: rate
--
-- An event of which every report is refused counts for none, and one whose games an earlier list has rated for none again.
select count(*)::integer as events, $month || '-01' as first_day
from (
    select event_id from report where accepted and event_id not in (select event_id from given_again)
    group by event_id having min(received_on) >= ($month || '-01')::date
)
having count(*) > 0
