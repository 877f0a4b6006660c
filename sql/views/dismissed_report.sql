-- One row per refused report that was set aside, by a person or because its file was delivered again since, with other
-- facts: it is in no count of refused reports and in no quarantine. A later version of it is another report.
create or replace temp view dismissed_report as
with by_a_person as (
    select report_id, reason, known_on from dismissal
    qualify row_number() over (partition by report_id order by dismissal_no desc) = 1
),
delivered_again as (
    select report.report_id, min(later.received_on) as known_on
    from report join report as later using (sha256)
    where not report.accepted and later.loaded_no > report.loaded_no
    group by report.report_id
)
select report.report_id, report.event_id, report.file_name, report.sha256 as report_sha256,
    coalesce(by_a_person.reason, 'it was delivered again') as reason,
    coalesce(by_a_person.known_on, delivered_again.known_on) as known_on
from report left join by_a_person using (report_id) left join delivered_again using (report_id)
where not report.accepted and (by_a_person.report_id is not null or delivered_again.report_id is not null);
