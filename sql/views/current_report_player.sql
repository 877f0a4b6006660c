-- One row per player line of an accepted report, with the FIDE ID that is now known to be the player's.
-- raw_id: the one in the report.
-- Corrections reach few reports; the lines of the others are looked up among the merged IDs and nowhere else.
create or replace temp view current_report_player as
with somebody_else as (
    select corrected_player.report_id, corrected_player.fide_id,
        arg_max(corrected_player.new_id, corrected_player.correction_no) as new_id
    from corrected_player semi join correction_now using (correction_no)
    group by corrected_player.report_id, corrected_player.fide_id
),
reached as (
    select distinct report_id from somebody_else
)
select
    report_player.* replace (coalesce(current_identity.now_id, report_player.fide_id) as fide_id),
    report_player.fide_id as raw_id
from report_player anti join reached using (report_id)
left join current_identity using (fide_id)
union all
select
    report_player.* replace (
        coalesce(current_identity.now_id, somebody_else.new_id, report_player.fide_id) as fide_id
    ),
    report_player.fide_id as raw_id
from (select * from report_player semi join reached using (report_id)) as report_player
left join somebody_else using (report_id, fide_id)
left join current_identity on current_identity.fide_id = coalesce(somebody_else.new_id, report_player.fide_id);
