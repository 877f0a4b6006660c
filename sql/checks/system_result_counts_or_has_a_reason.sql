-- Every result of an event that is not rated has its reason, and a player whose rating was calculated has a game that
-- counts, entered or left the list, or was raised for a title.
-- For other systems than FIDE's only.
select event_id, null as fide_id, status, reason, null as games
from event
where month = $month and (status = 'rated') = (reason <> '')
union all
select event.event_id, side.fide_id, event.status, null, null
from side_of_month as side join event_of_month as event using (event_no)
where event.status = 'rated' and side.reason is null
union all
select null, fide_id, status, null, games
from change
where month = $month and (games < 0 or (status = 'entered' and games = 0));
