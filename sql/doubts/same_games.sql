-- ask: Are these two events, though at least three in four games of one are also games of the other?
-- when: publish
-- remedy: ratinglist correct withdraw {event_id} --because "..." --by NAME
--
-- One event that came twice: as a report and as a table, with the colours exchanged, with other numbers of the rounds,
-- under another code or with other days. What is plainly the same is found when the list is calculated
-- (rating/duplicate_games.py), and its games have the reason same_game. Events are compared with those of the same list,
-- and of earlier lists where they began within sixty days, or have exactly the same games. Fewer than four games, or three
-- pairs, say too little. Where the days overlap and the time control is the same, the pairs are enough: results are
-- reversed when they are typed.
with compared as (
    select report_no, report.report_id, event_no, event.event_id, event.time_control, report.start_date, report.end_date,
        games_digest, month
    from event join report using (report_id)
    where status = 'rated' and month <= $month
),
of_month as (
    select * from compared where month = $month
),
before as (
    select * from compared
    where month < $month and (
        start_date between (select min(start_date) from of_month) - 60 and (select max(start_date) from of_month) + 60
        or games_digest in (select games_digest from of_month)
    )
),
game as (
    select report_no, fide_id as low_id, opponent_id as high_id, score_halves as low_halves
    from side_of_month join of_month using (event_no)
    where fide_id < opponent_id and not is_same_game
    union all
    select report_no, least(white_id, black_id), greatest(white_id, black_id),
        if(white_id < black_id, white_halves, black_halves)
    from report_game semi join before using (report_no)
),
in_two as materialized (
    select low_id, high_id from game group by all having min(report_no) <> max(report_no)
),
pairing as materialized (
    select report_no, low_id, high_id, count(*)::integer as games, count_if(low_halves = 2)::integer as won,
        count_if(low_halves = 1)::integer as drawn, count_if(low_halves = 0)::integer as lost
    from game semi join in_two using (low_id, high_id)
    group by all
),
alike as materialized (
    select this.report_no, other.report_no as other_no, sum(least(this.games, other.games))::integer as same_pairs,
        sum(least(this.won, other.won) + least(this.drawn, other.drawn) + least(this.lost, other.lost))::integer as same_games
    from (from pairing semi join of_month using (report_no)) as this
    join pairing as other using (low_id, high_id)
    where other.report_no <> this.report_no
    group by all
    having sum(least(this.games, other.games)) >= 3
),
size as (
    select report_no, count(*)::integer as games, count(distinct (low_id, high_id)) as pairs
    from game
    where report_no in (select unnest([report_no, other_no]) from alike)
    group by report_no
)
select this.event_id, this.start_date || ' to ' || this.end_date as days, size.games, same_pairs, same_games,
    other.event_id as other_event, other.start_date || ' to ' || other.end_date as other_days, other.month as rated_in
from alike
join compared as this using (report_no)
join compared as other on other.report_no = other_no
join size on size.report_no = this.report_no
join size as other_size on other_size.report_no = other_no
where this.event_id <> other.event_id
    -- of two events of one list, the smaller one
    and (
        other.month < $month
        or size.games < other_size.games
        or (size.games = other_size.games and other.event_id < this.event_id)
    )
    and least(size.games, other_size.games) >= 4
    and (
        (
            (abs(this.start_date - other.start_date) <= 60 or this.games_digest = other.games_digest)
            and 4 * same_games >= 3 * least(size.games, other_size.games)
            and least(size.pairs, other_size.pairs) >= 3
        )
        or (
            this.time_control = other.time_control
            and this.start_date <= other.end_date
            and other.start_date <= this.end_date
            and 4 * same_pairs >= 3 * least(size.games, other_size.games)
        )
    )
order by this.event_id, other.event_id, other_days
