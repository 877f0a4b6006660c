-- What a player's change came to is what the list shows: present with that rating, or gone when delisted.
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
