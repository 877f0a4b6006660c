-- Is it right that these events are rated, though the same games came before in an event that was withdrawn?
-- Of two codes of one event that were both known when one was withdrawn, the other is meant to count.
select distinct event.event_id, report.file_name as file, other.event_id as withdrawn_event,
    strftime(correction.reported_on, '%Y-%m-%d') as withdrawn_on
from event_of_month as event
join report using (report_id)
join report as other on other.games_digest = report.games_digest and other.report_id <> report.report_id
join corrected_report on corrected_report.report_id = other.report_id and corrected_report.withdrawn
join correction_now as correction using (correction_no)
where event.status = 'rated' and report.games_digest <> '' and report.loaded_no > correction.source_no
order by event.event_id, file, withdrawn_event;
