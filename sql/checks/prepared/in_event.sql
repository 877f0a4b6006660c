-- One row per player and event: the number of rated sides (games), the sum of their changes, their least and largest K, and
-- the player's least and largest rating. The events of a month are numbered one after the other.
select
    event_no,
    fide_id,
    count(change_hundredths)::integer as games,
    sum(change_hundredths)::bigint as change_hundredths,
    min(k) as least_k,
    max(k) as largest_k,
    min(rating) as least_rating,
    max(rating) as largest_rating
from side_of_month as side
group by event_no, fide_id;
