-- A game's score is the one of the report, as received or as corrected since, and so are its players and their colours.
with of_month as (
    select event_no, report_id from event
    where month = $month and status <> 'superseded' and reason <> 'report_refused'
),
-- The digests of an event's games come to the same in its report and from both sides; if not, its games are compared.
-- They are summed: of two games whose scores are exchanged alike, an exclusive or would tell nothing.
received as (
    select
        event_no,
        sum(
            (hash(white_halves, round, white_id, black_id, true) >> 8)::bigint
            + (hash(black_halves, round, black_id, white_id, false) >> 8)::bigint
        ) as digest
    from report_game_of_month join of_month using (report_id)
    group by event_no
),
counted as (
    select
        event_no,
        sum((hash(score_halves, round, fide_id, opponent_id, is_white) >> 8)::bigint) as digest
    from side_of_month as side
    group by event_no
),
unequal as materialized (
    select event_no, report_id
    from received full join counted using (event_no) left join of_month using (event_no)
    where received.digest is distinct from counted.digest
),
corrected as (
    select * from current_report_game
    where report_id in (select report_id from unequal)
),
reported as (
    select event_no, round, white_id as fide_id, black_id as opponent_id, true as is_white, white_halves as score_halves
    from corrected join unequal using (report_id)
    union all
    select event_no, round, black_id, white_id, false, black_halves from corrected join unequal using (report_id)
)
select event.event_id, round, fide_id, opponent_id, case when is_white then 'w' else 'b' end as colour,
    sides.score_halves as counted, reported.score_halves as reported
from (from side_of_month as side semi join unequal using (event_no)) as sides
full join reported using (event_no, round, fide_id, opponent_id, is_white)
join event using (event_no)
where sides.score_halves is distinct from reported.score_halves;
