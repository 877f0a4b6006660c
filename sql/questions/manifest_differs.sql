-- Is the manifest right, though the reports of these events have other days or another thinking time?
-- The manifest counts. Days inside those of the report may be those of a slice of it, and raise no question.
select event.event_id, report.file_name as file,
    case finding.rule when 'dates_outside' then 'days' else 'minutes for 60 moves' end as differs,
    finding.value as of_the_manifest, finding.detail as of_the_report
from event_of_month as event
join report using (report_id)
join finding using (report_id)
where event.status not in ('duplicate', 'superseded') and finding.rule in ('dates_outside', 'minutes_differ')
order by event.event_id, file, differs;
