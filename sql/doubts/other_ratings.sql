-- ask: Are these the right lists, though a fifth of the ratings that the reports state, or more, are not those in force
-- by more than 100 points (are two lists exchanged, or was one rating copied to many players)?
-- when: publish
--
-- For the FIDE system alone: reports of a federation's own list may state FIDE ratings.
with line as (
    select event.event_id, in_event.fide_id, line.rating as written, in_event.least_rating as in_force
    from event
    join report using (report_id)
    join current_report_player as line using (report_no)
    join in_event on in_event.event_no = event.event_no and in_event.fide_id = line.fide_id
    where event.month = $month and event.status = 'rated' and line.rating > 0 and least_rating is not null
        and 'fide' in (select system from list_rule)
),
counted as (
    select event_id, count(*)::integer as players, (count(*) filter (abs(written - in_force) > 100))::integer as differing,
        avg(written - in_force)::integer as mean_difference
    from line group by event_id
)
select * from counted
where differing > 0 and (select count(*) from line) >= 10
    and (select 5 * sum(differing) >= sum(players) from counted)
order by event_id
