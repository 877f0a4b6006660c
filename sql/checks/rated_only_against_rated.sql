-- A rated side has a rating, a rated opponent, an expected score and a K: a game against an unrated player counts for nobody.
select event_id, round, fide_id, rating, opponent_rating, expected_hundredths, k
from game
where month = $month
    and rated
    and (rating is null or opponent_rating is null or expected_hundredths is null or k is null or k <= 0);
