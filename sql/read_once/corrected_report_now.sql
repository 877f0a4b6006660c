-- One row per report that a correction reaches: its fields that were corrected, the day of receipt that it took over, how
-- many of its games were not played, whether it was withdrawn, and whether another report counts in its place.
with counting as (
    select corrected_report.* from corrected_report semi join correction_now using (correction_no)
),
replaced as (
    select distinct replaces_id as report_id, true as is_replaced from counting where replaces_id is not null
),
-- What came as a replacement counts as nothing else.
replacing as (
    select report_id, bool_and(counting.report_id is null) as is_undone, min(counting.received_on) as received_on
    from corrected_report left join counting using (correction_no, report_id)
    where corrected_report.replaces_id is not null
    group by report_id
),
withdrawn as (
    select distinct report_id, true as withdrawn from counting where withdrawn
),
not_played as (
    select report_id, count(*) as games from corrected_game_now where white_halves is null group by report_id
),
changed as (
    select report_id, map_from_entries(list((field, value))) as fields
    from (
        select report_id, field, arg_max(value, correction_no) as value
        from corrected_field semi join correction_now using (correction_no)
        group by report_id, field
    )
    group by report_id
)
select
    report_id,
    received_on,
    coalesce(games, 0) as not_played,
    coalesce(withdrawn, false) as withdrawn,
    coalesce(is_replaced, false) or coalesce(is_undone, false) as is_left_out,
    fields['federation'] as federation,
    fields['start_date']::date as start_date,
    fields['end_date']::date as end_date,
    fields['event_type'] as event_type,
    fields['time_control'] as time_control,
    fields['official']::boolean as official,
    fields['registered_on']::date as registered_on,
    fields['minutes_per_60_moves']::integer as minutes_per_60_moves
from replaced
full join replacing using (report_id)
full join withdrawn using (report_id)
full join not_played using (report_id)
full join changed using (report_id)
