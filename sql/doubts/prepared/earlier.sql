-- One row per earlier list that the month is calculated from, by its number (list_no): the newest of each time control
-- (is_newest), to which changes are added, and those in force when one of the month's events started. A standard rating
-- may stand in for a missing one in rapid and blitz.
with months as (
    select time_control, month from standing_list where month < $month
),
starts as (
    select distinct time_control, start_date from event where month = $month and status = 'rated'
),
in_force as (
    select months.time_control, max(months.month) as month
    from starts join months
        on months.time_control in (starts.time_control, 'standard')
        and months.month <= strftime(starts.start_date, '%Y-%m')
    group by months.time_control, starts.start_date
    union
    select time_control, max(month) from months group by time_control
)
select row_number() over (order by time_control, month)::integer as list_no, time_control, month,
    month = max(month) over (partition by time_control) as is_newest
from in_force
