-- K is the one that the rule set gives for the player's games, highest rating and age.
-- From the state on the list before: 2400 ever reached, else junior below 2300, else new, else normal; then no more
-- than the limit on K times games allows. Computed here a second time, from the state and the dates of birth.
-- For the FIDE system only.
with rule as (
    select
        time_control,
        unnest(development_coefficient),
        development_coefficient.junior_until = 'end_of_year_of_eighteenth_birthday' as is_junior_by_year
    from list_rule
),
rated as not materialized (
    select time_control, list_no, fide_id, rated_games as games, least_k, largest_k, rating_before, games_played, reached_2400,
        reached_2300
    from player_totals where rated_games > 0
),
on_list_before as (
    select list_no, rule.* exclude (time_control), left(month, 4)::integer as in_year,
        replace(month, '-', '')::integer * 100 + 1 as on_day
    from earlier join rule using (time_control)
    where is_newest and junior_judged_on = 'list_before'
),
at_event_start as (
    select event_no, event_id, rule.*, year(start_date) as in_year,
        year(start_date) * 10000 + month(start_date) * 100 + day(start_date) as on_day
    from event join rule using (time_control)
    where event.month = $month and junior_judged_on = 'event_start'
),
applied as (
    select rated.* exclude (list_no), on_list_before.* exclude (list_no), null as event_id
    from rated join on_list_before using (list_no)
    union all by name
    select
        rated.* exclude (list_no) replace (in_event.least_k as least_k, in_event.largest_k as largest_k),
        at_event_start.* exclude (event_no, time_control)
    from in_event
    join at_event_start using (event_no)
    -- few rule sets judge a junior at the start of the event: where none does, no player is searched
    join (select * from rated where exists (from at_event_start)) as rated
        on rated.time_control = at_event_start.time_control and rated.fide_id = in_event.fide_id
    where in_event.games > 0
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
            case when is_junior_by_year then in_year <= eighteen_in else on_day < eighteen_on end,
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
