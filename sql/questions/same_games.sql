-- Are these two events, though nearly all games of one, with their results, are also games of the other?
-- One event that came again under another code and with other days. With days in common it is found when the list is
-- calculated (rating/duplicate_games.py), and its games have the reason same_game. An all-play-all of the same players
-- has the same pairings again in another month, but other results; of three games or fewer, the results say too little.
with here as (
    select event_no, event_id, report_id, round, fide_id as white_id, opponent_id as black_id,
        score_halves as white_halves, count(*) over (partition by event_no) as games
    from side_of_month as side join event_of_month using (event_no)
    where is_white and side.reason <> 'same_game'
),
alike as (
    select here.event_id, here.report_id, here.games, other.event_id as other_id, other.report_id as other_report,
        other.games as other_games
    from here join here as other using (round, white_id, black_id, white_halves)
    where other.event_id < here.event_id
    union all
    select here.event_id, here.report_id, here.games, event.event_id, report.report_id, report.games
    from here
    join report_game as game using (round, white_id, black_id, white_halves)
    join report using (report_no)
    join event on event.report_id = report.report_id
    where event.status = 'rated' and event.month < $month and event.event_id <> here.event_id
),
pair as (
    select event_id, report_id, games::integer as games, count(*)::integer as same_games, other_id, other_report
    from alike
    group by event_id, report_id, games, other_id, other_report, other_games
    having count(*) > 3 and 4 * count(*) >= 3 * least(games, other_games)
)
select pair.event_id, this.start_date || ' to ' || this.end_date as days, pair.games, pair.same_games,
    other_id as other_event, other.start_date || ' to ' || other.end_date as other_days,
    (select max(month) from event where report_id = other_report and status = 'rated' and month <= $month) as rated_in,
    'ratinglist correct withdraw ' || pair.event_id || ' --because "..." --by NAME' as to_leave_it_out
from pair
join report as this using (report_id)
join report as other on other.report_id = other_report
order by pair.event_id, other_id, other_days;
