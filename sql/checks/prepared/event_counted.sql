-- One row per event with sides: how many, and digests of them.
-- - games_digest: of the games, their scores and colours, from both sides;
-- - are_ratings_agreed: whether its players' ratings are, by their digest, those that their opponents were counted against.
-- They are summed: of two games whose scores are exchanged alike, an exclusive or would tell nothing.
select
    event_no,
    count(*) as sides,
    sum((hash(score_halves, round, fide_id, opponent_id, is_white) >> 8)::bigint) as games_digest,
    sum((hash(fide_id, rating) >> 8)::bigint - (hash(opponent_id, opponent_rating) >> 8)::bigint) = 0
    -- nobody's rating is no rating to be rated against
    and count(*) filter (change_hundredths is not null and opponent_rating is null) = 0 as are_ratings_agreed
from side_of_month as side
group by event_no;
