-- One row per game of an accepted report, with the result and the players that are now known. raw_white and raw_black:
-- the IDs as the report has them. A game corrected to have not been played is not here. Corrections reach few reports;
-- the games of the others are taken as they are, so that a list does not cost more with every month before it.
create or replace temp view current_report_game as
with somebody_else as (
    select corrected_player.report_id, corrected_player.fide_id,
        arg_max(corrected_player.new_id, corrected_player.correction_no) as new_id
    from corrected_player semi join correction_now using (correction_no)
    group by corrected_player.report_id, corrected_player.fide_id
),
counting as (
    select corrected_game.*
    from corrected_game semi join correction_now using (correction_no)
    qualify row_number() over (
        partition by report_id, round, white_id, black_id order by correction_no desc
    ) = 1
),
reached as (
    select report_id from counting
    union
    select report_id from somebody_else
    union
    select report_id from report_player semi join current_identity using (fide_id)
)
select report_game.*, white_id as raw_white, black_id as raw_black
from report_game anti join reached using (report_id)
union all
select
    report_game.* replace (
        coalesce(white_now.now_id, white_was.new_id, report_game.white_id) as white_id,
        coalesce(black_now.now_id, black_was.new_id, report_game.black_id) as black_id,
        coalesce(counting.white_halves, report_game.white_halves) as white_halves,
        coalesce(counting.black_halves, report_game.black_halves) as black_halves
    ),
    report_game.white_id as raw_white,
    report_game.black_id as raw_black
from (select * from report_game semi join reached using (report_id)) as report_game
left join counting using (report_id, round, white_id, black_id)
left join somebody_else as white_was
    on white_was.report_id = report_game.report_id and white_was.fide_id = report_game.white_id
left join somebody_else as black_was
    on black_was.report_id = report_game.report_id and black_was.fide_id = report_game.black_id
left join current_identity as white_now
    on white_now.fide_id = coalesce(white_was.new_id, report_game.white_id)
left join current_identity as black_now
    on black_now.fide_id = coalesce(black_was.new_id, report_game.black_id)
where counting.correction_no is null or counting.white_halves is not null;
