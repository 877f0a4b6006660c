-- How many players have which K, list by list: look into a sudden shift.
select
    list_month,
    time_control,
    k,
    count(*) as players,
    count(*) filter (where games > 0) as played
from lists
group by list_month, time_control, k
order by list_month, time_control, k desc
