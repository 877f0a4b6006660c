-- stop: A game is rated only with ratings of a list: the opponent's when the event began, and the player's own then
-- or, where there was none, the newest.
-- when: publish
--
-- For the FIDE system alone. A rating that stands in for a missing one is a standard rating.
with of_event as (
    select
        event.event_no,
        event.event_id,
        any_value(newest.list_no) as newest_no,
        max_by(own.list_no, own.month) as list_no,
        max_by(standard.list_no, standard.month) filter (stands_in) as standard_no
    from event
    join (select name, event.standard_rating_stands_in as stands_in from rule_set where system = 'fide') as rules
        on rules.name = event.rule_set
    join earlier as newest on newest.time_control = event.time_control and newest.is_newest
    left join earlier as own
        on own.time_control = event.time_control and own.month <= strftime(event.start_date, '%Y-%m')
    left join earlier as standard
        on standard.time_control = 'standard' and standard.month <= strftime(event.start_date, '%Y-%m')
    where event.month = $month and event.status = 'rated'
    group by event.event_no, event.event_id
),
as_opponent as (
    select
        event_no,
        opponent_id as fide_id,
        min(opponent_rating) as least_seen,
        max(opponent_rating) as largest_seen,
        count(*) filter (change_hundredths is not null and opponent_rating is null) as rated_without
    from side_of_month
    group by event_no, opponent_id
),
rated as (
    select list_no, fide_id, rating from earlier_list where rating is not null
)
select event_id, in_event.fide_id, least_rating, largest_rating, least_seen as least_as_opponent,
    largest_seen as largest_as_opponent, coalesce(at_start.rating, standard.rating) as at_the_start,
    newest.rating as newest_rating
from in_event
join of_event using (event_no)
join as_opponent using (event_no, fide_id)
left join rated as at_start on at_start.list_no = of_event.list_no and at_start.fide_id = in_event.fide_id
left join rated as standard on standard.list_no = standard_no and standard.fide_id = in_event.fide_id
left join rated as newest on newest.list_no = newest_no and newest.fide_id = in_event.fide_id
where rated_without > 0
    or least_seen <> at_the_start
    or largest_seen <> at_the_start
    or (least_seen is not null and at_the_start is null)
    or (in_event.games > 0 and least_rating is distinct from coalesce(at_the_start, newest_rating))
    or (in_event.games > 0 and largest_rating is distinct from least_rating)
