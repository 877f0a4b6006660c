-- Score, players and colours of a game are those of the report, as received or as corrected since.
with corrected as (
    select * from current_report_game
    where report_no in (select report_no from event_unlike_report)
),
reported as (
    select event_no, round, white_id as fide_id, black_id as opponent_id, true as is_white, white_halves as score_halves
    from corrected join event_unlike_report using (report_no)
    union all
    select event_no, round, black_id, white_id, false, black_halves
    from corrected join event_unlike_report using (report_no)
)
select event.event_id, round, fide_id, opponent_id, case when is_white then 'w' else 'b' end as colour,
    sides.score_halves as counted, reported.score_halves as reported
from (from side_of_month as side semi join event_unlike_report using (event_no)) as sides
full join reported using (event_no, round, fide_id, opponent_id, is_white)
join event_of_month as event using (event_no)
where sides.score_halves is distinct from reported.score_halves;
