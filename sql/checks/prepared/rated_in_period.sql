-- One row per player and time control with rated sides: their sums over his events, the changes also rounded event by event,
-- at_most: K times games; and his state on the list before, null where he was not on it.
with sums as (
    select
        event.time_control,
        rated_in_event.fide_id,
        sum(rated_in_event.games)::bigint as games,
        sum(change_hundredths)::bigint as change_hundredths,
        sum(sign(change_hundredths) * ((abs(change_hundredths) + 50) // 100))::bigint as rounded_by_event,
        sum(rated_in_event.games * largest_k)::bigint as at_most,
        min(least_k) as least_k,
        max(largest_k) as largest_k
    from rated_in_event join event using (event_no)
    group by event.time_control, rated_in_event.fide_id
)
select
    sums.*,
    old.rating as old_rating,
    coalesce(old.games_played, 0) as games_played,
    coalesce(old.reached_2400, false) as reached_2400,
    coalesce(old.reached_2300, false) as reached_2300
from sums left join (select * from earlier_list where is_newest) as old using (time_control, fide_id);
