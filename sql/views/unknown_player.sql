-- One row per player line of an accepted report whose FIDE ID is not registered.
create or replace temp view unknown_player as
select
    current_report_player.report_id,
    current_report_player.line,
    current_report_player.fide_id,
    current_report_player.name
from current_report_player
anti join player using (fide_id);
