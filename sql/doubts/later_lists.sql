-- note: later lists were calculated from the earlier figures: run {months} again
-- when: rate
select string_agg(month, ', ' order by month) as months
from calculation
where is_standing and month > $month and $month not in (select month from current_revision)
having months is not null
