-- How many players of each list have which K, list by list: a sudden shift deserves a look before anybody complains.
select
    list_month,
    time_control,
    k,
    count(*) as players,
    count(*) filter (where games > 0) as played
from lists
group by list_month, time_control, k
order by list_month, time_control, k desc
