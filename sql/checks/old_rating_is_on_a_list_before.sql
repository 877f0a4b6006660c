-- A player's change is added to the rating on the list before, or to a standard rating where the player had none of the
-- time control.
-- For the FIDE system only.
with wrong as (
    select time_control, fide_id, rating_before, old_rating, new_rating, status
    from player_totals
    where status <> 'entered' and old_rating is distinct from rating_before
),
standard as (
    select distinct fide_id, rating
    from (select list_no from earlier where time_control = 'standard') as standard_list
    join earlier_list using (list_no)
    semi join wrong using (fide_id)
)
select wrong.*
from wrong
anti join standard
    on wrong.time_control <> 'standard'
    and wrong.rating_before is null
    and standard.fide_id = wrong.fide_id
    and standard.rating = wrong.old_rating;
