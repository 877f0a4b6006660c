-- What a player's change came to is what the list shows: present with that rating, or gone when delisted.
select change.time_control, change.fide_id, change.status, change.new_rating, list_state.rating
from change left join list_state using (month, time_control, fide_id)
where change.month = $month
    and change.new_rating is distinct from list_state.rating;
