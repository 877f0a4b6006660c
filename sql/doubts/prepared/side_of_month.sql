-- One row per side of a game of the month: see the view side. counts, is_same_game: whether the reason is none, or that
-- the game is counted elsewhere; both are null where the event is not rated.
select event_no, round, fide_id, opponent_id, is_white, score_halves, rating, opponent_rating, expected_hundredths, k,
    change_hundredths, reason = '' as counts, reason = 'same_game' as is_same_game
from side where month = $month
