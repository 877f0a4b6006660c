-- Is it right that a rating changed by more than {change_points} points?
-- A first rating is no change, though some systems count one from where a player starts. Not a question while no more than
-- change_per_ten_thousand of the players have such a change.
with computed as (
    -- among hundreds of thousands of players a few large changes are usual
    select count(*) as players from change where month = $month and change is not null and status <> 'entered'
)
select change.time_control, change.fide_id, name, federation, old_rating, change.games, change.k, change.change, new_rating
from change left join known_player using (fide_id)
where change.month = $month and status <> 'entered' and abs(change.change) > $change_points
qualify count(*) over () * 10000 > $change_per_ten_thousand::hugeint * (select players from computed)
order by abs(change.change) desc, change.time_control, change.fide_id;
