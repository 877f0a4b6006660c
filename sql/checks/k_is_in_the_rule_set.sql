-- K is a value of the rule set in force, or what the limit on K times games leaves of it.
-- One event has one K.
-- For the FIDE system only.
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
),
-- millions of players share a few distinct K
odd_totals as (
    select list_no, least_k, largest_k
    from (select distinct time_control, list_no, least_k, largest_k from player_totals where rated_games > 0) as different
    left join named using (time_control)
    where named_k is null or not list_contains(named_k, least_k) or not list_contains(named_k, largest_k)
),
odd as (
    select time_control, rating, k
    from listed_as join named using (time_control)
    where (k is null) <> (rating is null) or not list_contains(named_k, k)
)
select time_control, fide_id, null as event_id, least_k, largest_k, rated_games as games
from (
    select player_totals.* from player_totals
    semi join odd_totals
        on odd_totals.list_no is not distinct from player_totals.list_no
        and odd_totals.least_k is not distinct from player_totals.least_k
        and odd_totals.largest_k is not distinct from player_totals.largest_k
    where rated_games > 0
) as player_totals
left join named using (time_control)
where named_k is null
    or not (list_contains(named_k, least_k) or least_k = period_limit // rated_games)
    or not (list_contains(named_k, largest_k) or largest_k = period_limit // rated_games)
union all
select event.time_control, fide_id, event.event_id, least_k, largest_k, in_event.games
from in_event join event_of_month as event using (event_no)
where least_k <> largest_k
union all
select list_state.time_control, fide_id, null, k, k, games
from list_state
semi join odd
    on odd.time_control = list_state.time_control
    and odd.rating is not distinct from list_state.rating
    and odd.k is not distinct from list_state.k
where list_state.month = $month;
