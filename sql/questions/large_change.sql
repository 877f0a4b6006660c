-- Is it right that a rating changed by more than {change_points} points?
select change.time_control, change.fide_id, name, federation, old_rating, change.games, change.k, change.change, new_rating
from change left join known_player using (fide_id)
where change.month = $month and abs(change.change) > $change_points
order by abs(change.change) desc, change.time_control, change.fide_id;
