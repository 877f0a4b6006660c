-- One row per player and time control with rated sides or a row in "change", side by side:
-- - of his rated sides (nought and null where he has none): rated_games, the sum of their changes, also rounded event by
--   event, at_most: K times games, the least and the largest K;
-- - of his row in "change" (status is null where he has none): the columns of that name;
-- - of the newest list before (is_known_before: he stood on it): rating_before and the state for K.
with sums as (
    select
        event.time_control,
        rated_in_event.fide_id,
        sum(rated_in_event.games)::bigint as rated_games,
        sum(change_hundredths)::bigint as summed_hundredths,
        sum(sign(change_hundredths) * ((abs(change_hundredths) + 50) // 100))::bigint as rounded_by_event,
        sum(rated_in_event.games * largest_k)::bigint as at_most,
        min(least_k) as least_k,
        max(largest_k) as largest_k
    from rated_in_event join event using (event_no)
    group by event.time_control, rated_in_event.fide_id
),
side_by_side as (
    select
        time_control,
        fide_id,
        coalesce(rated_games, 0) as rated_games,
        coalesce(summed_hundredths, 0) as summed_hundredths,
        coalesce(rounded_by_event, 0) as rounded_by_event,
        coalesce(at_most, 0) as at_most,
        least_k,
        largest_k,
        change.* exclude (month, time_control, fide_id)
    from sums full join (select * from change where month = $month) as change using (time_control, fide_id)
)
select
    side_by_side.*,
    old.list_no is not null as is_known_before,
    old.rating as rating_before,
    coalesce(old.games_played, 0) as games_played,
    coalesce(old.reached_2400, false) as reached_2400,
    coalesce(old.reached_2300, false) as reached_2300
from side_by_side left join (select * from earlier_list where is_newest) as old using (time_control, fide_id);
