-- One row per player line of an accepted report whose FIDE ID is not registered.
create or replace temp view unknown_player as
select report.report_id, unknown.line, unknown.fide_id, unknown.name, unknown.federation, unknown.sex
from (from current_report_player anti join player using (fide_id)) as unknown
join report using (report_no);
