-- ask: Is anything missing, or counted twice: a count is more than {unusual_factor} times the largest of the lists
-- published in the last twelve months, or below the smallest divided by {unusual_factor}?
-- when: publish
with months as (
    select month
    from current_revision semi join (from calculation where is_newest) using (month)
    where month < $month and month >= strftime(($month || '-01')::date - interval 12 months, '%Y-%m')
),
looked_at as (
    select month from months union all select $month
),
lists as (
    select distinct time_control from list_state where month = $month
),
counted as (
    unpivot (select month, time_control, events_rated::bigint as events_rated, results_rated, entered::bigint as entered,
        delisted::bigint as delisted from month_count)
    on events_rated, results_rated, entered, delisted into name what value count
),
whats as (
    select * from (values
        ('events_rated', 10),
        ('results_rated', 200),
        ('entered', 20),
        ('delisted', 20)
    ) as named (what, least)
),
every_month as (
    select month, time_control, whats.what, coalesce(counted.count, 0) as count, whats.least
    from looked_at cross join lists cross join whats left join counted using (month, time_control, what)
),
compared as (
    select
        time_control,
        what,
        any_value(least) as least,
        count(*) filter (month < $month) as months,
        min(count) filter (month < $month) as smallest,
        max(count) filter (month < $month) as largest,
        max(count) filter (month = $month) as count
    from every_month
    group by time_control, what
)
select time_control, what, count, smallest, largest, months
from compared
where months >= $unusual_months
    and (
        (count > $unusual_factor::hugeint * largest and count - largest >= least)
        or (count * $unusual_factor::hugeint < smallest and smallest - count >= least)
    )
order by time_control, what
