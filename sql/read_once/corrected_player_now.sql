-- One row per player of a report who was somebody else by a correction that counts: by the newest one.
select report.report_no, corrected_player.fide_id,
    arg_max(corrected_player.new_id, corrected_player.correction_no) as new_id
from corrected_player semi join correction_now using (correction_no)
join report using (report_id)
group by report.report_no, corrected_player.fide_id
