-- Every game received is rated or has a reason why not.
-- Each game of an event has two rows in the list's games, no more and no less; a superseded event has none.
select event.event_id, event.status, event.games, coalesce(event_counted.sides, 0) as sides
from event left join event_counted using (event_no)
where event.month = $month
    and event.reason <> 'report_refused'
    and coalesce(event_counted.sides, 0) <> case when event.status = 'superseded' then 0 else 2 * event.games end;
