-- The games of two players: write the FIDE IDs of others in place of these.
select
    games.list_month,
    events.name as event,
    games.round,
    games.colour,
    games.rating,
    games.opponent_rating,
    games.score_halves / 2 as score
from games
inner join events using (list_month, event_id)
where
    games.fide_id = {player} and games.opponent_id = {opponent}
    -- A copy of an event, or one that waits for the next list, counts no game again.
    and events.status not in ('deferred', 'duplicate', 'superseded') and games.reason is distinct from 'same_game'
order by games.list_month, games.event_id, games.round;
