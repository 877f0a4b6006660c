-- K is what the rule set gives for the state on the list before: 2400 ever reached, else junior below 2300, else new, else
-- normal; and no more than the limit on K times games allows. Derived here anew, from the state and the dates of birth.
with rule as (
    select
        time_control,
        unnest(development_coefficient),
        development_coefficient.junior_until = 'end_of_year_of_eighteenth_birthday' as is_junior_by_year
    from list_rule
),
before as (
    select time_control, (month || '-01')::date as first_day from earlier where is_newest
),
rated as (
    select time_control, fide_id, rated_games as games, least_k, largest_k, rating_before, games_played, reached_2400,
        reached_2300
    from reckoned where rated_games > 0
),
applied as (
    select rated.*, rule.* exclude (time_control), null as event_id, first_day as judged_on
    from rated join before using (time_control) join rule using (time_control)
    where junior_judged_on = 'list_before'
    union all by name
    select
        rated.* replace (rated_in_event.least_k as least_k, rated_in_event.largest_k as largest_k),
        rule.* exclude (time_control),
        event.event_id,
        event.start_date as judged_on
    from rated_in_event
    join event using (event_no)
    join rated on rated.time_control = event.time_control and rated.fide_id = rated_in_event.fide_id
    join rule on rule.time_control = event.time_control
    where junior_judged_on = 'event_start'
),
judged as (
    select
        time_control,
        fide_id,
        event_id,
        least_k,
        largest_k,
        games,
        games_played,
        reached_2400 or coalesce(rating_before >= master_from, false) as was_2400,
        reached_2300 or coalesce(rating_before >= junior_below, false) as was_2300,
        coalesce(
            case
                when is_junior_by_year then year(judged_on) - birth_year <= 18
                else year(judged_on) * 10000 + month(judged_on) * 100 + day(judged_on) < (birth_year + 18) * 10000 + birthday
            end,
            false
        ) as is_junior,
        case
            when fixed > 0 then fixed
            when was_2400 then master
            when is_junior and not was_2300 then junior
            when games_played < new_until_games then new
            else normal
        end as unlimited,
        case when period_limit > 0 and unlimited * games > period_limit then period_limit // games else unlimited end as k_due
    from applied
    left join young using (fide_id)
)
select time_control, fide_id, event_id, largest_k as k, k_due, games, games_played, was_2400, was_2300, is_junior
from judged
where least_k <> k_due or largest_k <> k_due;
