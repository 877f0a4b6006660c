-- One row per player and time control with rated sides or a row in "change":
-- - from the player's rated sides (zero and null where there are none): rated_games, the least and the largest K and
--   rating;
-- - from the player's row in "change" (status is null where there is none): the columns of that name;
-- - from the newest list before, list_no (is_known_before: the player is on it): rating_before and the state for K.
-- Time controls are numbered: grouping millions of rows by a text is expensive.
with controls as (
    select row_number() over (order by time_control)::integer as control_no, time_control, list_no
    from (
        select time_control from event where month = $month
        union
        select time_control from change where month = $month
    )
    left join (select time_control, list_no from earlier where is_newest) as newest using (time_control)
),
numbered as (
    select event_no, control_no from event join controls using (time_control) where month = $month
),
sums as (
    select
        control_no,
        fide_id,
        sum(games)::bigint as rated_games,
        min(least_k) as least_k,
        max(largest_k) as largest_k,
        min(least_rating) as least_rating,
        max(largest_rating) as largest_rating
    from in_event join numbered using (event_no)
    where games > 0
    group by control_no, fide_id
),
computed as (
    select control_no, change.* exclude (month, time_control)
    from change join controls using (time_control) where month = $month
),
side_by_side as (
    select
        control_no,
        fide_id,
        coalesce(rated_games, 0) as rated_games,
        least_k,
        largest_k,
        least_rating,
        largest_rating,
        computed.* exclude (control_no, fide_id)
    from sums full join computed using (control_no, fide_id)
)
select
    controls.time_control,
    controls.list_no,
    side_by_side.* exclude (control_no),
    old.list_no is not null as is_known_before,
    old.rating as rating_before,
    coalesce(old.games_played, 0) as games_played,
    coalesce(old.reached_2400, false) as reached_2400,
    coalesce(old.reached_2300, false) as reached_2300
from side_by_side
join controls using (control_no)
left join earlier_list as old on old.list_no = controls.list_no and old.fide_id = side_by_side.fide_id;
