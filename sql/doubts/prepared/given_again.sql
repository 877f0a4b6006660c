-- One row per report that no earlier list has looked at and that has the games of an event which one has rated, under
-- another code: that event, its report, and the list. One that this list rates, with other days, is not among them.
select report.report_id, report.event_id, report.file_name, max_by(rated.event_id, event.month) as other_id,
    max_by(rated.file_name, event.month) as other_file, max(event.month) as rated_in
from (from report anti join dismissed_report using (report_id)) as report
join report as rated using (games_digest)
join event on event.report_id = rated.report_id and event.status = 'rated' and event.month < $month
where report.accepted and report.games > 0 and report.event_id <> rated.event_id
    and report.event_id not in (select event_id from event where month < $month or (month = $month and status = 'rated'))
group by report.report_id, report.event_id, report.file_name
