-- One row per row of a month's games: the lines of the archived report it stands on. A round's cell begins at cell_column.
create or replace view game_line as
with sides as (
    select report_id, round, white_id as fide_id, white_line as line, black_line as opponent_line from current_report_game
    union all
    select report_id, round, black_id as fide_id, black_line as line, white_line as opponent_line from current_report_game
)
select
    game.month,
    game.time_control,
    game.event_id,
    game.round,
    game.fide_id,
    report.file_name,
    report.sha256,
    sides.line,
    sides.opponent_line,
    92 + 10 * (game.round - 1) as cell_column
from game
join event using (month, event_id)
join report using (report_id)
join sides using (report_id, round, fide_id);
