-- Every game counts for both players, with the colours exchanged.
-- Only events whose rows differ from their report are searched: see event_unlike_report.
with suspected as (
    -- an event whose rows equal its report has every game from both sides
    select * from side_of_month as side semi join event_unlike_report using (event_no)
)
select event.time_control, event.event_id, suspected.round, suspected.fide_id, suspected.opponent_id
from suspected anti join suspected as other
    on other.event_no = suspected.event_no
    and other.round = suspected.round
    and other.fide_id = suspected.opponent_id
    and other.opponent_id = suspected.fide_id
    and other.is_white <> suspected.is_white
join event_of_month as event using (event_no);
