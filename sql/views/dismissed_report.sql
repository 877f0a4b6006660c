-- One row per refused report that was set aside: it is in no count and in no quarantine. A later version of it is another
-- report.
create or replace temp view dismissed_report as
select report.report_id, report.event_id, report.file_name, report.sha256 as report_sha256, newest.reason,
    newest.known_on
from report join (
    select * from dismissal qualify row_number() over (partition by report_id order by dismissal_no desc) = 1
) as newest using (report_id)
where newest.reason <> '' and not report.accepted;
