-- note: event {event_id}: the ratings that it states for {fide_id} and {other_id} are each other's; are their FIDE IDs
-- exchanged? If so: ratinglist correct report {event_id} --id {fide_id}={other_id} --id {other_id}={fide_id} --because
-- "..." --by NAME
-- when: rate
--
-- Two of one family under one initial have names alike. Neither rating is the player's own on a list of the four months
-- before.
with listed as (
    select time_control, fide_id, rating from list_to_stand_on
    where rating is not null and month < $month
        and month >= strftime(($month || '-01')::date - interval 4 months, '%Y-%m')
),
line as (
    select event.event_id, event.time_control, report_no, line.fide_id, line.rating
    from event join report using (report_id) join current_report_player as line using (report_no)
    where event.month = $month and event.status = 'rated' and line.rating > 0
),
strange as (
    select * from line anti join listed as own using (time_control, fide_id, rating)
),
-- what the rating would have to be: that of a list
known as materialized (
    select event_id, report_no, strange.fide_id, strange.rating, listed.rating as listed_rating
    from strange join listed using (time_control, fide_id)
)
select distinct one.event_id, one.fide_id, other.fide_id as other_id, one.rating, other.rating as other_rating
from known as one
join known as other
    on other.report_no = one.report_no and other.rating = one.listed_rating and other.listed_rating = one.rating
where one.fide_id < other.fide_id
order by all
