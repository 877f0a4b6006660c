-- One row per rating and K on the month's list, empty ones included: how many players have both. A list has millions of
-- players, but only thousands of such pairs.
select time_control, rating, k, count(*) as players
from list_state
where month = $month
group by time_control, rating, k;
