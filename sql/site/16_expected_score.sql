-- Does the higher rated player score what the difference of the ratings says?
select
    (rating - opponent_rating) // 50 * 50 as difference_from,
    count(*) as games,
    round(avg(expected_hundredths), 1) as expected_percent,
    round(50.0 * avg(score_halves), 1) as scored_percent
from games
where rated and rating >= opponent_rating
group by difference_from
order by difference_from;
