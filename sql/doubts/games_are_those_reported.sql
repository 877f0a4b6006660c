-- stop: Players, colours and score of every game are those of its report, as received or as corrected since.
-- when: publish
with reported as (
    select event_no, round, white_id, black_id, white_halves, black_halves
    from current_report_game
    join (select event_no, report_no from event join report using (report_id) where month = $month) as of_month
        using (report_no)
),
counted as (
    select *, if(is_white, fide_id, opponent_id) as white_id, if(is_white, opponent_id, fide_id) as black_id
    from side_of_month
)
select event_id, round, fide_id, opponent_id, if(is_white, 'w', 'b') as colour, score_halves as counted,
    if(is_white, white_halves, black_halves) as in_report
from counted
left join reported using (event_no, round, white_id, black_id)
join event using (event_no)
where event.month = $month and score_halves is distinct from in_report
