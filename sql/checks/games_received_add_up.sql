-- Every game received is rated or has a reason: an event's games stand in the list's games twice, no more, no less.
with sides as (
    select event_no, count(*) as sides
    from side_of_month as side
    group by event_no
)
select event.event_id, event.status, event.games, coalesce(sides.sides, 0) as sides
from event left join sides using (event_no)
where event.month = $month
    and event.reason <> 'report_refused'
    and coalesce(sides.sides, 0) <> case when event.status = 'superseded' then 0 else 2 * event.games end;
