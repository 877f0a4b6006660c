-- ask: Why is the list made before its closing date has passed?
-- when: publish
--
-- What arrives until that day is not on it.
select time_control, strftime(closing_date, '%Y-%m-%d') as closing_date
from (
    select time_control, ($month || '-01')::date - list.closing_days_before::integer as closing_date from list_rule
)
where closing_date >= $today
order by time_control
