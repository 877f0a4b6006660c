-- A side of a game is rated, or it says why not; never both, never neither. So is an event.
select event_id, round, fide_id, rated, reason
from game
where month = $month and rated = (reason <> '')
union all
select event_id, null, null, status = 'rated', reason
from event
where month = $month and (status = 'rated') = (reason <> '');
