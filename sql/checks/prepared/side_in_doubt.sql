-- One row per side that has to be checked: few of millions. A side needs no further check
-- - where it is rated, both players are rated, the difference is used uncut, and the change is not more than K;
-- - where it is not rated because the opponent is unrated, or counts for an entry only, because the opponent is rated and
--   the player is not.
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
        and abs(change_hundredths) <= 100 * k
        and k > 0
        and expected_hundredths between 0 and 100
        and score_halves between 0 and 2
    when change_hundredths is not null then false
    when reason = 'opponent_unrated' then opponent_rating is null
    when reason in ('counts_for_entry', 'zero_first_event', 'tranche_too_small') then
        rating is null and opponent_rating is not null
end is not true;
