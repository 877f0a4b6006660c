-- One row per event with sides: their number, and digests of them.
-- - games_digest: of the games, their scores and colours, from both sides;
-- - are_ratings_agreed: whether the players' ratings are, by their digest, those that their opponents were counted against.
-- Hashes are summed: an exclusive or would not notice two games with the same exchange of scores.
select
    event_no,
    count(*) as sides,
    sum((hash(score_halves, round, fide_id, opponent_id, is_white) >> 8)::bigint) as games_digest,
    sum((hash(fide_id, rating) >> 8)::bigint - (hash(opponent_id, opponent_rating) >> 8)::bigint) = 0
    -- a side rated against no rating is wrong whatever the digest
    and count(*) filter (change_hundredths is not null and opponent_rating is null) = 0 as are_ratings_agreed
from side_of_month as side
group by event_no;
