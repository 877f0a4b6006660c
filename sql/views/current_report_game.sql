-- One row per game of an accepted report, with the result and the players that are now known. raw_white and raw_black:
-- the IDs as the report has them. A game corrected to have not been played is not here. Corrections reach few reports;
-- the games of the others are taken as they are, so that a list does not cost more with every month before it.
create or replace temp view current_report_game as
with reached as (
    select report_no from corrected_game_now
    union
    select report_no from player_line_now
)
select report_game.*, white_id as raw_white, black_id as raw_black
from report_game anti join reached using (report_no)
union all
select
    report_game.* replace (
        coalesce(white_now.fide_id, report_game.white_id) as white_id,
        coalesce(black_now.fide_id, report_game.black_id) as black_id,
        coalesce(counting.white_halves, report_game.white_halves) as white_halves,
        coalesce(counting.black_halves, report_game.black_halves) as black_halves
    ),
    report_game.white_id as raw_white,
    report_game.black_id as raw_black
from (select * from report_game semi join reached using (report_no)) as report_game
left join corrected_game_now as counting using (report_no, round, white_id, black_id)
left join player_line_now as white_now
    on white_now.report_no = report_game.report_no and white_now.raw_id = report_game.white_id
left join player_line_now as black_now
    on black_now.report_no = report_game.report_no and black_now.raw_id = report_game.black_id
where counting.correction_no is null or counting.white_halves is not null;
