-- stop: K is a value of the rule set in force, or what the limit on K times games leaves of it, and one in an event.
-- when: publish
--
-- For the FIDE system alone: a list of another has a K of its own.
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
    from list_rule where system = 'fide'
),
unnamed as (
    select time_control, fide_id, event_id, least_k, largest_k, period_limit
    from in_event join event using (event_no) join named using (time_control)
    where event.month = $month
        and in_event.games > 0
        and not (list_contains(named_k, least_k) and least_k = largest_k)
)
select time_control, fide_id, event_id, least_k, largest_k, change.games
from unnamed left join (select * from change where month = $month) as change using (time_control, fide_id)
where (least_k = period_limit // change.games and least_k = largest_k) is not true
union all
select time_control, min(fide_id), null, k, k, null
from list_state join named using (time_control)
where list_state.month = $month
group by time_control, k, named_k, rating is null
having (k is null) <> (rating is null) or not list_contains(named_k, k)
