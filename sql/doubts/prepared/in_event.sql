-- One row per player and event of the month: the sides and those of White, the rated ones (games), the sum of their
-- changes and the largest, the least and the largest K and rating, and the sides whose reason contradicts their change.
select
    event_no,
    fide_id,
    count(*)::integer as sides,
    (count(*) filter (is_white))::integer as whites,
    count(change_hundredths)::integer as games,
    sum(change_hundredths)::bigint as change_hundredths,
    max(abs(change_hundredths)) as largest_change,
    min(k) as least_k,
    max(k) as largest_k,
    min(rating) as least_rating,
    max(rating) as largest_rating,
    (count(*) filter ((change_hundredths is not null) <> coalesce(counts, false)))::integer as contradictory,
    (count(*) filter (counts is null))::integer as without_reason
from side_of_month
group by event_no, fide_id
