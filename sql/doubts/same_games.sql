-- ask: Are these two events, though nearly all games of one, with their results, are also games of the other?
-- when: publish
-- remedy: ratinglist correct withdraw {event_id} --because "..." --by NAME
--
-- One event that came again under another code and with other days. With days in common it is found when the list is
-- calculated (rating/duplicate_games.py), and its games have the reason same_game. An all-play-all of the same
-- players has the same pairings again in another month, but other results; of three games or fewer, the results say
-- too little. Games are compared by numbers alone: texts of millions of rows would cost more than the comparison.
with here as (
    select event_no, round, fide_id as white_id, opponent_id as black_id, score_halves as white_halves
    from side_of_month
    where is_white and not is_same_game
),
counted as (
    select event_no, event_id, report_id, count(*)::integer as games
    from here join event using (event_no)
    where event.month = $month
    group by event_no, event_id, report_id
),
rated_before as (
    select report.report_no, report.report_id, event.event_id, report.games
    from report join event on event.report_id = report.report_id
    where event.status = 'rated' and event.month < $month
),
alike as (
    select here.event_no, other.event_no as other_no, count(*)::integer as same_games
    from here join here as other using (round, white_id, black_id, white_halves)
    where other.event_no <> here.event_no
    group by here.event_no, other.event_no
    having count(*) > 3
),
alike_before as (
    select event_no, report_no, count(*)::integer as same_games
    from (from report_game semi join rated_before using (report_no))
    join here using (round, white_id, black_id, white_halves)
    group by event_no, report_no
    having count(*) > 3
),
pair as (
    select counted.*, same_games, other.event_id as other_id, other.report_id as other_report
    from alike
    join counted using (event_no)
    join counted as other on other.event_no = other_no
    where other.event_id < counted.event_id and 4 * same_games >= 3 * least(counted.games, other.games)
    union all
    select counted.*, same_games, other.event_id, other.report_id
    from alike_before
    join counted using (event_no)
    join rated_before as other using (report_no)
    where other.event_id <> counted.event_id and 4 * same_games >= 3 * least(counted.games, other.games)
)
select pair.event_id, this.start_date || ' to ' || this.end_date as days, pair.games, pair.same_games,
    other_id as other_event, other.start_date || ' to ' || other.end_date as other_days,
    (select max(month) from event where report_id = other_report and status = 'rated' and month <= $month) as rated_in,
    'ratinglist correct withdraw ' || pair.event_id || ' --because "..." --by NAME' as to_leave_it_out
from pair
join report as this using (report_id)
join report as other on other.report_id = other_report
order by pair.event_id, other_id, other_days
