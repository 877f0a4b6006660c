-- One row per time control whose new ratings are not, by their digest, those of the list before with the ratings in
-- "change" put in their places. Rows are hashed and summed; where the sums agree, so do the rows, and none need be compared.
with before as (
    select time_control, sum((hash(fide_id, rating) >> 8)::bigint) as digest
    from earlier_list where is_newest and rating is not null
    group by time_control
),
now as (
    select time_control, sum((hash(fide_id, rating) >> 8)::bigint) as digest
    from list_state where month = $month and rating is not null
    group by time_control
),
computed as (
    select
        time_control,
        coalesce(sum((hash(fide_id, new_rating) >> 8)::bigint) filter (new_rating is not null), 0)
        - coalesce(sum((hash(fide_id, rating_before) >> 8)::bigint) filter (rating_before is not null), 0) as digest
    from reckoned where status is not null
    group by time_control
)
select time_control
from now full join computed using (time_control) left join before using (time_control)
where coalesce(now.digest, 0) <> coalesce(before.digest, 0) + coalesce(computed.digest, 0);
