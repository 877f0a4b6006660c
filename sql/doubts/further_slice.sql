-- note: event {event_id}: version {version}, from {start_date} on, counts as a further slice with version {version_before},
-- from {start_date_before} on; if it is a correction of that one, let it replace that one (replace_report with start_date =
-- {start_date_before} in match)
-- when: rate
--
-- Nothing in reports of two version numbers states whether they continue the event or correct all of it.
with slice as (
    select event.month, report.event_id, report.version, report.start_date, report.end_date
    from event join report using (report_id) where event.status = 'rated' and event.month <= $month
)
select this.event_id, this.version, this.start_date,
    max_by(before.version, before.start_date) as version_before,
    max(before.start_date) as start_date_before
from slice as this
join slice as before on before.event_id = this.event_id and before.end_date < this.start_date
where $month in (this.month, before.month) and before.version <> this.version
group by all
order by all
