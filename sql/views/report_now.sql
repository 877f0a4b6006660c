-- One row per report ever received, with the fields that were corrected. Corrections reach few reports.
create or replace temp view report_now as
select report.* replace (
    coalesce(now.federation, report.federation) as federation,
    coalesce(now.start_date, report.start_date) as start_date,
    coalesce(now.end_date, report.end_date) as end_date,
    coalesce(now.event_type, report.event_type) as event_type,
    coalesce(now.time_control, report.time_control) as time_control,
    coalesce(now.official, report.official) as official,
    coalesce(now.registered_on, report.registered_on) as registered_on,
    coalesce(now.minutes_per_60_moves, report.minutes_per_60_moves) as minutes_per_60_moves
)
from report left join corrected_report_now as now using (report_id);
