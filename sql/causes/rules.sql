-- 5: a changed rule file moved a player: a side counts otherwise for no other cause, or nothing explains the difference.
-- Another K is its doing where the player's data, games and rating, and the list before, give no other cause.
insert into cause
with moved_by_rules as (
    select time_control, fide_id from player anti join cause using (time_control, fide_id)
    union
    select time_control, fide_id from side where is_by_rules
    union
    select time_control, fide_id
    from behind anti join (from cause where number = 4) using (time_control, fide_id)
    where has_other_k and not has_other_base and old_games is not distinct from new_games
        and not (rating_moved or base_k_moved or base_games_moved)
)
select time_control, fide_id, 5, 'rule file ' || rule_file || ' changed', null, rule_file
from moved_by_rules join rule_file using (time_control);

-- Only data that no list shows, the birth date, give another K where games and ratings are the same.
insert into cause
select time_control, fide_id, 4, data_changed, null, null
from behind anti join cause using (time_control, fide_id)
where has_other_k or k_differs;
