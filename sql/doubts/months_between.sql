-- note: the {time_control} list before is that of {list_before}: the months between have no list
-- when: rate
select time_control, max(standing_list.month) as list_before
from standing_list join list_rule using (time_control)
where standing_list.month < $month and published_in is null
group by time_control
having max(standing_list.month) < strftime(($month || '-01')::date - interval 1 month, '%Y-%m')
order by time_control
