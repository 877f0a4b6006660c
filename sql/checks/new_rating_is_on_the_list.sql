-- The new rating of every rated player is the one on the list, and a delisted player is not on it.
-- Only time controls in the prepared table unexplained are searched.
-- For the FIDE system only.
with computed as (
    select time_control, fide_id, status, new_rating
    from change semi join unexplained using (time_control)
    where month = $month
),
listed as (
    select time_control, fide_id, rating
    from list_state semi join unexplained using (time_control)
    where month = $month
)
select time_control, fide_id, status, new_rating, rating
from computed left join listed using (time_control, fide_id)
where new_rating is distinct from rating;
