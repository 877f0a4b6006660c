-- ask: Were more games of {event_id} decided without play ({forfeits}) than were played ({games})?
-- when: publish
-- remedy: ratinglist correct withdraw {event_id} --because "..." --by NAME
--
-- + and - are a forfeit, W, D and L a game of less than a move; none of them is rated. A person who types results takes
-- them for a win, a draw and a loss. If they are wrong, the right report is delivered as the version that follows.
select event.event_id, file_name as file, report.forfeits, report.games
from event join report using (report_id)
where event.month = $month and event.status = 'rated' and report.forfeits > report.games and report.forfeits >= 4
order by event_id
