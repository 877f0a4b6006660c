-- ask: Did an imported list give a wrong K: more than {masters_percent} % of those listed, and at least {masters},
-- have the K of players who reached 2400 and are 200 points or more below it?
-- when: publish
with rule as (
    select time_control, unnest(development_coefficient) from list_rule
),
counted as (
    select
        time_control,
        master as k,
        count(*)::integer as listed,
        (count(*) filter (k = master and rating <= master_from - 200))::integer as masters_far_below
    from list_state join rule using (time_control)
    where month = $month and rating is not null and fixed = 0 and master < normal
    group by time_control, master
)
select *
from counted
where masters_far_below >= $masters and 100::hugeint * masters_far_below > $masters_percent::hugeint * listed
order by time_control
