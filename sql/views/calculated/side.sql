-- One row per player and played game of every event a month considered, by the number of the event in its month.
-- reason: why the game is not rated; null where its event is not.
create or replace temp view side as
select
    game.month,
    event.event_no,
    game.round,
    game.fide_id,
    game.date,
    game.opponent_id,
    game.colour = 'w' as is_white,
    game.score_halves,
    game.rating,
    game.opponent_rating,
    game.difference_used,
    game.expected_hundredths,
    game.k,
    game.change_hundredths,
    case when event.reason = '' then game.reason end as reason
from game join event using (month, event_id);
