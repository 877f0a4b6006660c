-- One row per report ever received: what the newest list that looked at it made of it.
create or replace temp view report_status as
with looked_at as (
    -- a report that was loaded again, and accepted, is a new one to every list
    select report_id, month, status, reason
    from event join (select report_id, accepted from report) using (report_id)
    where not accepted or reason <> 'report_refused'
    qualify row_number() over (partition by report_id order by month desc) = 1
),
replaced as (
    select report_id from report anti join current_report using (report_id)
    union
    -- no list looks at a version that is lower than the one that was rated
    select other.report_id
    from looked_at join report using (report_id) join report as other using (event_id, start_date)
    where looked_at.status = 'rated' and other.version < report.version
        and other.report_id not in (select report_id from looked_at)
),
-- of two reports that differ a list looks at one, and both wait
disputed as (
    select other.report_id, looked_at.month, looked_at.status, looked_at.reason
    from looked_at join report using (report_id) join report as other using (event_id, version, start_date)
    where looked_at.reason = 'two_reports' and other.accepted
        and other.report_id not in (select report_id from looked_at)
    qualify row_number() over (partition by other.report_id order by looked_at.month desc) = 1
),
judged as (
    select report_id, month, status, reason from looked_at
    union all
    select report_id, month, status, reason from disputed
)
select
    report.report_id,
    report.event_id,
    report.name,
    report.federation,
    report.time_control,
    report.start_date,
    report.end_date,
    coalesce(current_report.received_on, report.received_on) as received_on,
    report.version,
    report.sha256 as report_sha256,
    report.file_name,
    case
        when replaced.report_id is not null then 'replaced'
        when judged.status is null and (current_report.withdrawn or not report.accepted) then 'refused'
        else coalesce(judged.status, 'waiting')
    end as status,
    case
        when replaced.report_id is not null then ''
        when judged.status is null and report.report_id in (select report_id from finding where rule = 'no_games')
            then 'no_games'
        when judged.status is null and not report.accepted then 'report_refused'
        when judged.status is null and current_report.withdrawn then 'withdrawn'
        else coalesce(judged.reason, '')
    end as reason,
    case when replaced.report_id is null then judged.month end as list_month
from report_now as report
left join current_report using (report_id)
left join judged using (report_id)
left join replaced using (report_id);
