-- A player's exact change is rounded, .5 away from zero, and added to the rating on the list before; a rating below
-- the floor is no longer listed.
-- The rule set chooses whether the change is rounded once a period or once an event, and whether the list has a one-
-- time step.
-- For the FIDE system only.
with rule as (
    select
        time_control,
        list_rule.change.rounded_per = 'event' as is_rounded_by_event,
        "list".floor as floor,
        "list".one_time_step = 'two_fifths_towards_2000' and "list".one_time_step_month = $month as has_step
    from list_rule
),
computed as (
    select
        time_control,
        fide_id,
        rating_before,
        old_rating,
        change_hundredths,
        change,
        case
            when is_rounded_by_event then rounded_by_event
            else sign(change_hundredths) * ((abs(change_hundredths) + 50) // 100)
        end as change_due,
        case
            when has_step and old_rating + change < 2000 then (60 * (old_rating + change) + 40 * 2000 + 50) // 100
            else old_rating + change
        end as carried,
        floor,
        new_rating,
        status
    from player_totals join rule using (time_control)
    where status <> 'entered'
),
wrong as (
    select *
    from computed
    where change is distinct from change_due
        or new_rating is distinct from case when carried >= floor then carried end
        or (status = 'delisted') <> (carried < floor)
        or old_rating is distinct from rating_before
),
standard as (
    select distinct fide_id, rating
    from (select list_no from earlier where time_control = 'standard') as standard_list
    join earlier_list using (list_no)
    semi join wrong using (fide_id)
)
-- a standard rating may stand in where the player never had one of the time control
select wrong.* exclude (floor)
from wrong
anti join standard
    on wrong.time_control <> 'standard'
    and wrong.rating_before is null
    and wrong.change = wrong.change_due
    and wrong.new_rating is not distinct from case when wrong.carried >= wrong.floor then wrong.carried end
    and standard.fide_id = wrong.fide_id
    and standard.rating = wrong.old_rating;
