-- One row per report ever received, with the fields that were corrected. Corrections reach few reports.
create or replace temp view report_now as
with corrected as (
    select report_id, map_from_entries(list((field, value))) as fields
    from (
        select report_id, field, arg_max(value, correction_no) as value
        from corrected_field semi join correction_now using (correction_no)
        group by report_id, field
    )
    group by report_id
)
select report.* replace (
    coalesce(fields['federation'], report.federation) as federation,
    coalesce(fields['start_date']::date, report.start_date) as start_date,
    coalesce(fields['end_date']::date, report.end_date) as end_date,
    coalesce(fields['event_type'], report.event_type) as event_type,
    coalesce(fields['time_control'], report.time_control) as time_control,
    coalesce(fields['official']::boolean, report.official) as official,
    coalesce(fields['registered_on']::date, report.registered_on) as registered_on,
    coalesce(fields['minutes_per_60_moves']::integer, report.minutes_per_60_moves) as minutes_per_60_moves
)
from report left join corrected using (report_id);
