-- One row per group of players and band of 100 points that has any of them.
select grouping, value, rating // 100 * 100 as band, count(*) as players
from member
group by place, grouping, value, band
order by place, band
