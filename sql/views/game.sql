-- One row per player and played game of every event a month considered, rated or not: the sides with their events' words.
create or replace view game as
select
    event.month,
    event.time_control,
    event.event_id,
    side.round,
    side.fide_id,
    side.date,
    side.opponent_id,
    case when side.is_white then 'w' else 'b' end as colour,
    side.score_halves,
    side.rating,
    side.opponent_rating,
    case when side.change_hundredths is not null then side.rating - side.opponent_rating end as difference,
    side.difference_used,
    side.expected_hundredths,
    side.k,
    side.change_hundredths,
    event.rule_set,
    side.change_hundredths is not null as rated,
    coalesce(side.reason::varchar, event.reason) as reason
from side
join event using (event_no);
