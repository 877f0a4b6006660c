-- Every game stands twice: once for each player, with the colours exchanged.
select game.time_control, game.event_id, game.round, game.fide_id, game.opponent_id
from game anti join (
    select * from game where month = $month
) as other
    on other.time_control = game.time_control
    and other.event_id = game.event_id
    and other.round = game.round
    and other.fide_id = game.opponent_id
    and other.opponent_id = game.fide_id
    and other.colour <> game.colour
where game.month = $month;
