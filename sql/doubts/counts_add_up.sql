-- stop: Every game received is there from both sides.
-- when: publish
--
-- A game of an event has one row for White and one for Black; a superseded event has none.
with counted as (
    select event_no, sum(sides)::bigint as sides, sum(whites)::bigint as whites from in_event group by event_no
)
select event.event_id, event.status, event.games, coalesce(sides, 0) as sides, coalesce(whites, 0) as whites
from event left join counted using (event_no)
where event.month = $month
    and event.reason <> 'report_refused'
    and (coalesce(sides, 0), coalesce(whites, 0)) <>
        case when event.status = 'superseded' then (0, 0) else (2 * event.games, event.games) end
