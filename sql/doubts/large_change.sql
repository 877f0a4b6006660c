-- ask: Is it right that a rating changed by far more than chance gives: {change_deviations} standard deviations, or
-- where K is not known {change_points} points?
-- when: publish
-- remedy: ratinglist explain {fide_id} {month} --preview
--
-- By chance alone the standard deviation of a change is half of K times the root of the number of games, or less: a
-- game adds at most K, and half of it on average. So K 40 in 9 games makes 60 points, K 10 makes 15. A first rating
-- is no change, though some systems count one from where a player starts. Not a question while no more than
-- change_per_ten_thousand of the players have such a change.
with computed as (
    -- among hundreds of thousands of players a few large changes are usual
    select count(*) as players from change where month = $month and change is not null and status <> 'entered'
),
large as (
    select
        *,
        case when k is null then $change_points else floor($change_deviations * k * sqrt(games) / 2)::integer end as usual
    from change
    where month = $month and status <> 'entered'
        and case
            when k is null then abs(change) > $change_points
            -- four times the squares, in whole numbers
            else 4::hugeint * change * change > $change_deviations::hugeint * $change_deviations * k * k * games
        end
    qualify count(*) over () * 10000 > $change_per_ten_thousand::hugeint * (select players from computed)
),
played as (
    select side.*, event.time_control, event.event_id, event.name as event_name,
        abs(50 * score_halves - expected_hundredths) as unexpected
    from side_of_month as side
    join (select * from event where month = $month) as event using (event_no)
    semi join large on large.fide_id = side.fide_id and large.time_control = event.time_control
    where side.counts
),
evidence as (
    select
        time_control,
        fide_id,
        (sum(score_halves) / 2)::decimal(9, 1)::varchar || ' of ' || count(*) as points,
        (sum(expected_hundredths) / 100)::decimal(9, 2)::varchar as expected,
        string_agg(distinct event_id || ' ' || event_name, '; ' order by event_id || ' ' || event_name) as events,
        arg_max({
            'game': concat('round ', round, ' of ', event_id, ', ', (score_halves / 2)::decimal(3, 1),
                ' where ' || (expected_hundredths / 100)::decimal(3, 2) || ' was expected'),
            'opponent': opponent_id,
            'rating': opponent_rating
        }, (unexpected, event_id, round)) as most
    from played
    group by time_control, fide_id
),
person as (
    select fide_id from large union select most.opponent from evidence
),
named as (
    select fide_id, name, federation from known_player($month) semi join person using (fide_id)
)
select
    large.time_control, large.fide_id, player.name, player.federation, large.old_rating, large.games, large.k, large.change,
    large.new_rating, large.usual as usual_up_to, evidence.points, evidence.expected, evidence.events,
    most.game as most_unexpected, most.opponent as opponent, opponent.name as opponent_name, most.rating as opponent_rating
from large
left join evidence using (time_control, fide_id)
left join named as player using (fide_id)
left join named as opponent on opponent.fide_id = most.opponent
order by abs(large.change) desc, large.time_control, large.fide_id
