-- One row per report as corrected: without those that another has replaced; that one was received when they were.
create or replace temp view current_report as
select
    report.* replace (
        coalesce(now.received_on, report.received_on) as received_on,
        (report.games - coalesce(now.not_played, 0))::integer as games
    ),
    coalesce(now.withdrawn, false) as withdrawn
from report_now as report left join corrected_report_now as now using (report_id)
where now.is_left_out is distinct from true;
