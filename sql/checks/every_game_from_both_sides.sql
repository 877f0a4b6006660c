-- Every game stands twice: once for each player, with the colours exchanged.
with sides as (
    select * from side_of_month as side
),
-- The digests of an event's games from White's side and from Black's come to the same sum; if not, its rows are compared.
unequal as (
    select event_no
    from sides
    group by event_no
    having sum(case when is_white then (hash(round, fide_id, opponent_id) >> 8)::bigint
        else -(hash(round, opponent_id, fide_id) >> 8)::bigint end) <> 0
),
suspected as (
    select * from sides semi join unequal using (event_no)
)
select event.time_control, event.event_id, suspected.round, suspected.fide_id, suspected.opponent_id
from suspected anti join suspected as other
    on other.event_no = suspected.event_no
    and other.round = suspected.round
    and other.fide_id = suspected.opponent_id
    and other.opponent_id = suspected.fide_id
    and other.is_white <> suspected.is_white
join event using (event_no);
