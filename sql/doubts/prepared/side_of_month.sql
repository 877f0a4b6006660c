-- One row per side of a game of the month: see the view side.
select event_no, round, fide_id, opponent_id, is_white, score_halves, rating, opponent_rating, expected_hundredths, k,
    change_hundredths, reason
from side where month = $month
