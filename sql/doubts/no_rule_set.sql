-- note: no {time_control} list: the family has no rule set for it on that day
-- when: rate
select distinct time_control from standing_list where month < $month and time_control not in (select time_control from list_rule)
order by time_control
