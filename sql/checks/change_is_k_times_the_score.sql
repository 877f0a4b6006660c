-- The change of a rated game is K times the score beyond the expected score.
-- The expected score must be between 0 and 1, and K above 0.
-- For the FIDE system only.
select event.event_id, side.round, side.fide_id, side.k, side.score_halves, side.expected_hundredths,
    side.change_hundredths
from side_in_doubt as side join event_of_month as event using (event_no)
where event.month = $month
    and side.change_hundredths is not null
    and (
        side.k is null
        or side.k <= 0
        or side.expected_hundredths is null
        or side.expected_hundredths not between 0 and 100
        or side.score_halves not between 0 and 2
        or side.change_hundredths <> side.k * (50 * side.score_halves - side.expected_hundredths)
    );
