-- K is a value of the rule set in force, or what the limit on K times games leaves of one; and one event has one K.
with named as (
    select
        time_control,
        development_coefficient.period_limit as period_limit,
        case
            when development_coefficient.fixed > 0 then [development_coefficient.fixed]
            else [
                development_coefficient.new,
                development_coefficient.normal,
                development_coefficient.master,
                development_coefficient.junior
            ]
        end as named_k
    from list_rule
)
select time_control, fide_id, null as event_id, least_k, largest_k, rated_games as games
from (select * from reckoned where rated_games > 0) as reckoned left join named using (time_control)
where named_k is null
    or not (list_contains(named_k, least_k) or least_k = period_limit // rated_games)
    or not (list_contains(named_k, largest_k) or largest_k = period_limit // rated_games)
union all
select event.time_control, fide_id, event.event_id, least_k, largest_k, rated_in_event.games
from rated_in_event join event using (event_no)
where least_k <> largest_k
union all
select list_state.time_control, fide_id, null, k, k, games
from list_state join named using (time_control)
where list_state.month = $month and ((k is null) <> (rating is null) or not list_contains(named_k, k));
