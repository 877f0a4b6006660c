-- One row per earlier list that the month is calculated from, by its number (list_no): the newest of each time control
-- (is_newest), to which changes are added, and those in force when one of the month's events started.
select row_number() over (order by time_control, month)::integer as list_no, time_control, month,
    month = max(month) over (partition by time_control) as is_newest
from needed_list($month, (
    select list(distinct {'time_control': time_control, 'start_date': start_date})
    from event where month = $month and status = 'rated'
))
