-- ask: Are these events finished, though they have games in fewer rounds than their reports announce?
-- when: publish
-- remedy: ratinglist correct withdraw {event_id} --because "..." --by NAME
--
-- A report that was written before the last round. Records 142, XXR and 132 announce the rounds, and the number of its
-- players those of a round robin; the greatest number counts. If it is unfinished, the finished report is delivered as the next version. A slice of an
-- event that goes on ends with its last game, and the rounds of all slices are counted together.
with of_month as (
    select event.event_id, report.* exclude (event_id), report.event_id as code
    from event join report using (report_id)
    where event.month = $month and event.status = 'rated' and report.first_round = 1
),
last_game as (
    select report_no, max(date) as day from report_game semi join of_month using (report_no) group by report_no
),
played as (
    select report.event_id as code, count(distinct round)::integer as rounds_with_games
    from event join report using (report_id) join report_game using (report_no)
    where event.status = 'rated' and event.month <= $month and report.event_id in (select code from of_month)
    group by report.event_id
),
announced as (
    select event_id, file_name as file, rounds_with_games,
        -- everybody meets everybody in one round fewer than players; an odd one out adds a round
        (players - 1 + players % 2) * case event_type when 'roundrobin' then 1 when 'double_roundrobin' then 2 else 0 end
            as rounds_of_all,
        greatest(rounds, rounds_of_all) as rounds_announced
    from of_month join played using (code) join last_game using (report_no)
    where coalesce(last_game.day < of_month.end_date, true)
)
select * exclude (rounds_of_all) from announced where rounds_with_games < rounds_announced order by event_id
