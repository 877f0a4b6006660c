-- How many players are in each band of 100 points in standard chess?
select
    rating // 100 * 100 as rating_from,
    count(*) as players
from lists
where list_month = newest_list() and time_control = 'standard'
group by rating_from
order by rating_from;
