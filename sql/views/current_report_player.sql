-- One row per player line of an accepted report, with the FIDE ID that is now known to be the player's.
-- raw_id: the one in the report.
create or replace temp view current_report_player as
select
    report_player.* replace (coalesce(line_now.fide_id, report_player.fide_id) as fide_id),
    report_player.fide_id as raw_id
from report_player
left join player_line_now as line_now
    on line_now.report_no = report_player.report_no and line_now.raw_id = report_player.fide_id;
