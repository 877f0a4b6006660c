-- One row per player line of an accepted report, with the FIDE ID that is now known to be the player's.
-- raw_id: the one in the report.
-- Corrections reach few reports; the lines of the others are looked up among the merged IDs and nowhere else.
create or replace temp view current_report_player as
with reached as (
    select distinct report_no from corrected_player_now
)
select
    report_player.* replace (coalesce(current_identity.now_id, report_player.fide_id) as fide_id),
    report_player.fide_id as raw_id
from report_player anti join reached using (report_no)
left join current_identity using (fide_id)
union all
select
    report_player.* replace (
        coalesce(current_identity.now_id, somebody_else.new_id, report_player.fide_id) as fide_id
    ),
    report_player.fide_id as raw_id
from (select * from report_player semi join reached using (report_no)) as report_player
left join corrected_player_now as somebody_else using (report_no, fide_id)
left join current_identity on current_identity.fide_id = coalesce(somebody_else.new_id, report_player.fide_id);
