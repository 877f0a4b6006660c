-- How did the mean rating of standard chess move from list to list?
select
    list_month,
    count(*) as players,
    round(avg(rating), 1) as mean_rating
from lists
where time_control = 'standard'
group by list_month
order by list_month;
