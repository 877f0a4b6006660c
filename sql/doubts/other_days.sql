-- ask: Are the days of {event_id} those of manifest.csv, though its report has other ones?
-- when: publish
-- remedy: ratinglist correct report {event_id} --field start_date={starts} --field end_date={ends} --because "..." --by NAME
--
-- The days of the manifest count. They are more than a week outside of those of the report (042, 052), or in another
-- month, so that other ratings or another list may be meant. A slice lies within the days of the whole event.
select event.event_id, report.file_name as file, finding.value as in_manifest, finding.detail as in_report,
    split_part(finding.detail, ' to ', 1) as starts,
    split_part(finding.detail, ' to ', 2) as ends
from event join report using (report_id) join finding using (report_id)
where event.month = $month and event.status = 'rated' and finding.rule = 'dates_outside'
    -- Days that were corrected since are right.
    and finding.value = event.start_date || ' to ' || event.end_date
order by event.event_id
