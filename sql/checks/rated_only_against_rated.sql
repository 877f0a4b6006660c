-- A game is rated only with ratings of a list: the opponent's when the event began, and the player's own then or, where
-- there was none, the newest.
-- A game against an unrated player, or with a rating of no list, counts for neither.
-- For the FIDE system only.
with of_event as (
    select
        event.event_no,
        event.event_id,
        any_value(are_ratings_agreed) as are_ratings_agreed,
        any_value(newest.list_no) as newest_no,
        max_by(own.list_no, own.month) as list_no,
        max_by(standard.list_no, standard.month) as standard_no
    from event
    join event_counted using (event_no)
    left join earlier as newest on newest.time_control = event.time_control and newest.is_newest
    left join earlier as own
        on own.time_control = event.time_control and own.month <= strftime(event.start_date, '%Y-%m')
    left join rule_set on rule_set.name = event.rule_set
    left join earlier as standard
        on standard.time_control = 'standard' and standard.month <= strftime(event.start_date, '%Y-%m')
        and rule_set.event.standard_rating_stands_in
    where event.month = $month and event.status = 'rated'
    group by event.event_no, event.event_id
),
-- nearly all players have every rated game with the rating of the newest list, in force when the event began
moved as (
    select distinct fide_id from player_totals
    where rated_games > 0
        and (least_rating is distinct from rating_before or largest_rating is distinct from rating_before)
),
sided as (
    -- null where a player was counted with several ratings in one event: no list has them
    select event_no, fide_id, case when least_rating = largest_rating then least_rating end as rating, games > 0 as is_rated,
        are_ratings_agreed as is_opponent
    from in_event join of_event using (event_no)
    where (games > 0 or least_rating is not null)
        and (list_no is distinct from newest_no or games = 0 or least_rating is null or fide_id in (from moved))
    union all
    select event_no, opponent_id, opponent_rating, false, true
    from side_of_month as side
    where (opponent_rating is not null or change_hundredths is not null)
        and event_no in (select event_no from of_event where not are_ratings_agreed)
    group by event_no, opponent_id, opponent_rating
),
-- nearly every rating is the one at the start: only the others are looked up again
strange as (
    select sided.*, of_event.* exclude (event_no, are_ratings_agreed), seen.rating as at_start
    from sided
    join of_event using (event_no)
    left join (select list_no, fide_id, rating from earlier_list where rating is not null) as seen
        on seen.list_no = of_event.list_no and seen.fide_id = sided.fide_id
    where sided.rating is distinct from seen.rating
),
looked_up as (
    select strange.*, stand_in.rating as standard_rating, newest.rating as newest_rating
    from strange
    left join (select list_no, fide_id, rating from earlier_list where rating is not null) as stand_in
        on stand_in.list_no = strange.standard_no and stand_in.fide_id = strange.fide_id
    left join (select list_no, fide_id, rating from earlier_list where rating is not null) as newest
        on newest.list_no = strange.newest_no and newest.fide_id = strange.fide_id
)
select event_id, fide_id, 'as opponent' as counted, rating as counted_with,
    coalesce(at_start, standard_rating) as rating_at_the_start
from looked_up
where is_opponent and rating is distinct from coalesce(at_start, standard_rating)
union all
select event_id, fide_id, 'own rating', rating, coalesce(at_start, standard_rating)
from looked_up
where is_rated and (rating is null or rating is distinct from coalesce(at_start, standard_rating, newest_rating));
