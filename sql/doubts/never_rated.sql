-- note: {note}
-- when: rate
--
-- The reports that this list finds late, or a new version of what a list before has rated: no later list looks at them.
with not_rated as (
    select event.status, report.event_id, report.version, report.file_name, report.start_date, report.end_date,
        report.received_on, (
            select max(previous.month)
            from event as previous join report as rated using (report_id)
            where previous.status = 'rated' and previous.month < $month and rated.event_id = report.event_id
        ) as rated_in
    from event join current_report as report using (report_id)
    where event.month = $month and event.status in ('late', 'superseded')
    order by event.status, report.event_id, report.version, report.report_id
)
select case status
    when 'superseded' then format(
        'event {}: version {} ({}) changes nothing, because the list of {} has rated the event already. If this version '
        || 'is right: ratinglist correct report {} --file ''{}'' --because "..." --by NAME',
        event_id, version, file_name, rated_in, event_id, file_name
    )
    else format(
        'event {}, from {} to {}, was received on {}: it was not in time for the third list after its end, and is never '
        || 'rated. If a day of the event is wrong: ratinglist correct report {} --field start_date=YYYY-MM-DD '
        || '--field end_date=YYYY-MM-DD --because "..." --by NAME',
        event_id, start_date, end_date, received_on, event_id
    )
end as note
from not_rated
