-- One row per report ever received: what the newest list that looked at it made of it.
create or replace temp view report_status as
with looked_at as (
    select report_id, month, status, reason from event
    qualify row_number() over (partition by report_id order by month desc) = 1
),
replaced as (
    select report_id from report anti join current_report using (report_id)
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
        when looked_at.status is null and not report.accepted then 'refused'
        else coalesce(looked_at.status, 'waiting')
    end as status,
    case
        when replaced.report_id is not null then ''
        when looked_at.status is null and not report.accepted then 'report_refused'
        else coalesce(looked_at.reason, '')
    end as reason,
    case when replaced.report_id is null then looked_at.month end as list_month
from report_now as report
left join current_report using (report_id)
left join looked_at using (report_id)
left join replaced using (report_id);
