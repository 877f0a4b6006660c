-- One row per finding that keeps a report out of every list: a rule of the format it breaks, a player who is not
-- registered, or a time control that is not known. A report that was set aside has none.
create or replace temp view unrateable_report as
with accepted_events as (
    select distinct event_id from current_report where accepted
),
broken as (
    select report_id, line, "column", value, rule, detail
    from finding semi join (
        select report_id from current_report anti join dismissed_report using (report_id) where not accepted
    ) as refused using (report_id)
    where effect = 'refused'
),
unregistered as (
    -- a player of a table is named by a row, in one column of two, and has no name
    select report_id, line, case when report_format <> 'table' then 58 end as "column", fide_id::varchar as value,
        'unknown_player' as rule, case when report_format <> 'table' then unknown_player.name else 'white_id or black_id' end as detail
    from unknown_player join current_report using (report_id)
),
-- the same report was loaded again with its time control
stated as (
    select distinct event_id from current_report where accepted and time_control <> ''
),
without_time as (
    select report_id, line, "column", value, rule, detail
    from finding semi join (
        select report_id
        from current_report anti join stated using (event_id) anti join dismissed_report using (report_id)
        where accepted and time_control = ''
    ) as waiting using (report_id)
    where effect = 'waits'
)
select report.report_id, report.file_name, report.event_id, found.* exclude (report_id)
from (select * from broken union all select * from unregistered union all select * from without_time) as found
join current_report as report using (report_id)
where report.accepted or report.event_id not in (select event_id from accepted_events)
order by report.file_name, report.event_id, found.line, found."column", found.rule, found.value;
