-- note: later lists were calculated from the earlier figures: run {months} again
-- when: rate
select string_agg(month, ', ' order by month) as months
from standing_calculation
where month > $month and $month not in (select month from current_revision)
having months is not null
