-- note: event {event_id}: the ratings that it states for {fide_id} and {other_id} are each other's; are their FIDE IDs
-- exchanged? If so: ratinglist correct report {event_id} --id {fide_id}={other_id} --id {other_id}={fide_id}
-- when: rate
--
-- Two of one family under one initial have names alike. Neither rating is that of the player's own on a list that the
-- month is calculated from.
with line as (
    select event.event_id, event.time_control, report_no, line.fide_id, line.rating
    from event join report using (report_id) join current_report_player as line using (report_no)
    where event.month = $month and event.status = 'rated' and line.rating > 0
),
listed as (
    select distinct time_control, fide_id, rating from earlier_list where rating is not null
),
strange as (
    select * from line
    semi join listed using (time_control, fide_id)
    anti join listed as own using (time_control, fide_id, rating)
)
select one.event_id, one.fide_id, other.fide_id as other_id, one.rating, other.rating as other_rating
from strange as one
join strange as other using (report_no)
join listed as of_one on of_one.time_control = one.time_control and of_one.fide_id = one.fide_id
    and of_one.rating = other.rating
join listed as of_other on of_other.time_control = one.time_control and of_other.fide_id = other.fide_id
    and of_other.rating = one.rating
where one.fide_id < other.fide_id
group by all
order by all
