-- One row per game whose result a correction changes that counts: by the newest one.
select corrected_game.*, report.report_no
from corrected_game semi join correction_now using (correction_no)
join report using (report_id)
qualify row_number() over (
    partition by report_id, round, white_id, black_id order by correction_no desc
) = 1
