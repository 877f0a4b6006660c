-- stop: Every game and every event is either rated or has a reason why not.
-- when: publish
--
-- Never both, never neither. Another system than FIDE's may rate a game without a change of its own.
select event.event_id, fide_id, event.status, event.reason, in_event.contradictory + without_reason as games
from event left join in_event using (event_no)
where event.month = $month
    and (
        (event.status = 'rated') = (event.reason <> '')
        or (event.status = 'rated' and without_reason > 0)
        or (contradictory > 0 and 'fide' in (select system from list_rule))
    )
