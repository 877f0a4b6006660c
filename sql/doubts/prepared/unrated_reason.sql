-- Why reports are refused, or wait, where more than half of those loaded for the list are or do, and at least two: the
-- code of each reason, that of most reports first, with the number of its reports and the first of their files.
with told as (
    select report_id, 'unknown_player' as why from unregistered
    union
    select report_id, rule from finding where effect in ('refused', 'waits')
    union
    -- a report that waited for players who are all registered by now: the list, calculated again, takes it up
    select report_id, if(reason = 'unknown_player' and report_id not in (select report_id from unregistered),
        'registered_since', reason)
    from event where month = $month and reason not in ('', 'report_refused')
),
counted as (
    select status, count(*)::integer as number, (select count(*) from delivered)::integer as every
    from delivered
    where status in ('refused', 'waiting')
    group by status
)
select
    status,
    row_number() over (partition by status order by count(distinct report_id) desc, why)::integer as position,
    count(distinct report_id)::integer as reports,
    min(file_name) as first,
    why,
    number,
    every
from delivered join told using (report_id) join counted using (status)
where number >= 2 and 2 * number > every
group by status, why, number, every
