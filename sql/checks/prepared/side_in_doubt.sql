-- One row per side that is not plainly right, so that the checks need look at few of millions. Plainly right is
-- - one that counts: both are rated, the difference is used as it is, and the change is K times what was scored beyond the
--   expected score;
-- - one that does not, for the opponent is unrated, or counts for an entry alone, for the opponent is rated and he is not.
select
    event_no,
    round,
    fide_id,
    opponent_id,
    score_halves,
    rating,
    opponent_rating,
    difference_used,
    expected_hundredths,
    k,
    change_hundredths,
    reason
from side_of_month as side
where case
    when reason = '' then
        difference_used = rating - opponent_rating
        and change_hundredths = k * (50 * score_halves - expected_hundredths)
        and k > 0
        and expected_hundredths between 0 and 100
        and score_halves between 0 and 2
    when change_hundredths is not null then false
    when reason = 'opponent_unrated' then opponent_rating is null
    when reason in ('counts_for_entry', 'zero_first_event', 'tranche_too_small') then
        rating is null and opponent_rating is not null
end is not true;
