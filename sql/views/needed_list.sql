-- One row per list before a month that the month is calculated from: the newest of each time control, and those in force
-- when an event started (starts: a list of structs of time_control and start_date). A standard rating may stand in for a
-- missing one in rapid and blitz, so events of all time controls need standard lists.
create or replace temp macro needed_list(before, starts) as table
with months as (
    select time_control, month from standing_list where month < before
),
started as (
    select unnest(starts, max_depth := 2)
)
select months.time_control, max(months.month) as month
from started join months
    on months.time_control in (started.time_control, 'standard')
    and months.month <= strftime(started.start_date, '%Y-%m')
group by months.time_control, started.start_date
union
select time_control, max(month) from months group by time_control;
