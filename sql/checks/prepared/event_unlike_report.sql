-- One row per event whose games differ, by their digest, from those of its report seen from White's side and from Black's:
-- only the games of these events are compared one by one. report_no: null where there is no report to compare.
with of_month as (
    select event.event_no, report.report_no
    from event join report using (report_id)
    where event.month = $month and event.status <> 'superseded' and event.reason <> 'report_refused'
),
received as (
    select
        report_no,
        sum(
            (hash(white_halves, round, white_id, black_id, true) >> 8)::bigint
            + (hash(black_halves, round, black_id, white_id, false) >> 8)::bigint
        ) as games_digest
    from report_game_of_month
    group by report_no
)
select event_no, of_month.report_no
from (select event_no, games_digest from received join of_month using (report_no)) as received
full join event_counted using (event_no)
left join of_month using (event_no)
where received.games_digest is distinct from event_counted.games_digest;
