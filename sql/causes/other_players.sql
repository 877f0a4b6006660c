-- A system may rate all players of an event together: players without an origin have that of the players of their events
-- who have one, from event to event. Returns how many rows were found; none is the end.
insert into cause
with seat as (
    select distinct time_control, fide_id, event_id from after_game where rated
),
known as (
    select distinct time_control, fide_id, correction_no, rule_file
    from cause where correction_no is not null or rule_file is not null
),
of_event as (
    select distinct time_control, event_id, correction_no, rule_file from seat join known using (time_control, fide_id)
)
select distinct
    time_control, fide_id, 3, 'another player of event ' || event_id || ' has another rating', correction_no, rule_file
from player
anti join known using (time_control, fide_id)
join seat using (time_control, fide_id)
join of_event using (time_control, event_id);
