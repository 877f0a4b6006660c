-- ask: Are these events finished, though they have games in fewer rounds than their reports announce?
-- when: publish
-- remedy: ratinglist correct withdraw {event_id} --because "..." --by NAME
--
-- A report that was written before the last round. Records 142 and XXR announce the rounds, and the number of its
-- players those of a round robin. If it is unfinished, the finished report is delivered as the next version. The rounds
-- of an event that comes in slices are counted together, and the question is asked of the first slice alone.
with of_month as (
    select event.event_id, report.* exclude (event_id), report.event_id as code
    from event join report using (report_id)
    where event.month = $month and event.status = 'rated' and report.first_round = 1
),
played as (
    select report.event_id as code, count(distinct round)::integer as rounds_with_games
    from event join report using (report_id) join report_game using (report_no)
    where event.status = 'rated' and event.month <= $month and report.event_id in (select code from of_month)
    group by report.event_id
),
announced as (
    select event_id, file_name as file, rounds_with_games,
        greatest(
            rounds,
            case event_type
                when 'roundrobin' then players - if(players % 2 = 0, 1, 0)
                when 'double_roundrobin' then 2 * (players - if(players % 2 = 0, 1, 0))
                else 0
            end
        ) as rounds_announced
    from of_month join played using (code)
)
select * from announced where rounds_with_games < rounds_announced order by event_id
