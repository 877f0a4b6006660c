-- note: event {event_id} is published with its code in the place of its name, which has a date of birth ({file_name}). To
-- publish a name, load the report again with another one (record 012) and version {next_version}
-- when: rate
select event.event_id, file_name, report.version + 1 as next_version
from event join report using (report_id)
where event.month = $month and event.name = event.event_id and report.name not in ('', event.event_id)
    and event.reason <> 'report_refused'
order by all
