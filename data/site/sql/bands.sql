-- The players of each band of 100 points of a month.
select time_control, rating // 100 * 100 as band, count(*)::int as players
from lists where month = getvariable('month') group by all order by all;
