-- The change is the exact one rounded once, halves away from nought, as the rule set says; it is added to the rating of
-- the list before, and who falls below the floor is no longer listed.
with rule as (
    select
        time_control,
        list_rule.change.rounded_per = 'event' as is_rounded_by_event,
        "list".floor as floor,
        "list".one_time_step = 'two_fifths_towards_2000' and "list".one_time_step_month = $month as has_step
    from list_rule
),
old as (
    select time_control, fide_id, rating from earlier_list where is_newest and rating is not null
),
computed as (
    select
        change.time_control,
        change.fide_id,
        coalesce(rated.old_rating, old.rating) as rating_before,
        change.old_rating,
        change.change_hundredths,
        change.change,
        case
            when is_rounded_by_event then coalesce(rounded_by_event, 0)
            else sign(change.change_hundredths) * ((abs(change.change_hundredths) + 50) // 100)
        end as change_due,
        case
            when has_step and change.old_rating + change.change < 2000
                then (60 * (change.old_rating + change.change) + 40 * 2000 + 50) // 100
            else change.old_rating + change.change
        end as carried,
        floor,
        change.new_rating,
        change.status
    from change
    join rule using (time_control)
    left join rated_in_period as rated using (time_control, fide_id)
    -- who played is looked up already
    left join old
        on rated.fide_id is null and old.time_control = change.time_control and old.fide_id = change.fide_id
    where change.month = $month and change.status <> 'entered'
),
wrong as (
    select *
    from computed
    where change is distinct from change_due
        or new_rating is distinct from case when carried >= floor then carried end
        or (status = 'delisted') <> (carried < floor)
        or old_rating is distinct from rating_before
)
-- the standard rating may stand in for one that he never had
select wrong.* exclude (floor)
from wrong
anti join (select distinct fide_id, rating from earlier_list where time_control = 'standard') as standard
    on wrong.time_control <> 'standard'
    and wrong.rating_before is null
    and wrong.change = wrong.change_due
    and wrong.new_rating is not distinct from case when wrong.carried >= wrong.floor then wrong.carried end
    and standard.fide_id = wrong.fide_id
    and standard.rating = wrong.old_rating;
