-- One row per row of a month's games: the lines of the kept report that have it, or the
-- row of the table of games. A round's cell begins at cell_column; null in a table.
create or replace temp view game_line as
with line_of as (
    select report_no, round, white_id as fide_id, white_line as line, black_line as opponent_line from current_report_game
    union all
    select report_no, round, black_id as fide_id, black_line as line, white_line as opponent_line from current_report_game
)
select
    event.month,
    event.time_control,
    event.event_id,
    side.round,
    side.fide_id,
    report.file_name,
    report.sha256,
    line_of.line,
    line_of.opponent_line,
    case when report.report_format <> 'table' then 92 + 10 * (side.round - 1) end as cell_column
from side
join event using (month, event_no)
join report using (report_id)
join line_of using (report_no, round, fide_id);
