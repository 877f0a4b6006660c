-- ask: Are these events finished, though they have games in fewer rounds than their reports announce?
-- when: publish
-- remedy: ratinglist correct withdraw {event_id} --because "..." --by NAME
--
-- A report that was written before the last round. Records 142 and XXR announce the rounds, and the number of its
-- players those of a round robin. If it is unfinished, the finished report is delivered as the next version.
with played as (
    select report_no, count(distinct round)::integer as rounds_with_games from report_game group by report_no
),
announced as (
    select event.event_id, report.file_name as file, report.event_type, report.players, coalesce(rounds_with_games, 0)
        as rounds_with_games,
        greatest(
            report.rounds,
            case report.event_type
                when 'roundrobin' then report.players - if(report.players % 2 = 0, 1, 0)
                when 'double_roundrobin' then 2 * (report.players - if(report.players % 2 = 0, 1, 0))
                else 0
            end
        ) as rounds_announced
    from event join report using (report_id) left join played using (report_no)
    where event.month = $month and event.status = 'rated'
)
select event_id, file, rounds_with_games, rounds_announced
from announced where rounds_with_games < rounds_announced
order by event_id
