-- note: event {event_id}: in {games:,} games the players with the higher ratings have {points} points, where {expected}
-- were expected; are the results those of the other players?
-- when: rate
--
-- They are five standard deviations, of half a point a game at most, below what is expected of them.
with counted as (
    select event_id, count(*) as games, sum(score_halves)::integer as halves,
        sum(expected_hundredths)::integer as hundredths
    from game where month = $month and rated and rating > opponent_rating
    group by event_id
)
select event_id, games, (halves // 2)::varchar || case when halves % 2 = 1 then '½' else '' end as points,
    (hundredths / 100)::decimal(9, 2)::varchar as expected
from counted
where hundredths > 50 * halves and (hundredths - 50 * halves) * (hundredths - 50 * halves) > 2500 * 25 * games
order by event_id
