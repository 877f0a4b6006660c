-- One row per player and event with rated sides: how many, their changes summed, the least and the largest K and rating
-- of his in them. (The events of a month are numbered one after the other.)
select
    event_no,
    fide_id,
    count(*)::integer as games,
    sum(change_hundredths)::bigint as change_hundredths,
    min(k) as least_k,
    max(k) as largest_k,
    min(rating) as least_rating,
    max(rating) as largest_rating
from side_of_month as side
where change_hundredths is not null
group by event_no, fide_id;
