-- An unrated player's games, points and average are those of his games against rated opponents that count: of this period
-- and still waiting. Who is published enters the list with that rating, and nobody else does.
with counted as (
    select event.time_control, side.fide_id, 1 as games, side.score_halves, side.opponent_rating as opponent_rating_sum
    from side join event using (event_no)
    where event.month = $month and event.status = 'rated' and side.reason = 'counts_for_entry'
    union all
    select pool.time_control, coalesce(current_identity.now_id, pool.fide_id), pool.games, pool.score_halves,
        pool.opponent_rating_sum
    from pool
    join list_rule using (time_control)
    left join current_identity using (fide_id)
    where pool.month = (select max(month) from calculation where month < $month)
        and pool.counted_month
            > strftime(($month || '-01')::date - to_months(list_rule.entry.window_lists::integer), '%Y-%m')
),
rated as (
    select time_control, fide_id from earlier_list where is_newest and rating is not null
    union all
    select event.time_control, rated_in_event.fide_id from rated_in_event join event using (event_no)
),
sums as (
    select
        counted.time_control,
        counted.fide_id,
        sum(counted.games)::bigint as games,
        sum(counted.score_halves)::bigint as score_halves,
        sum(counted.opponent_rating_sum)::bigint as opponent_rating_sum
    from counted anti join rated using (time_control, fide_id)
    where counted.time_control in (select time_control from list_rule)
        and counted.time_control in (select time_control from earlier_list)
    group by counted.time_control, counted.fide_id
),
due as (
    select
        sums.*,
        case when list_rule.entry.method = 'two_draws_at_1800' then 2 else 0 end as draws,
        -- hundredths, half up
        (200 * (opponent_rating_sum + draws * 1800) + games + draws) // (2 * (games + draws)) as average_hundredths
    from sums join list_rule using (time_control)
),
entered as (
    select time_control, fide_id, new_rating from change where month = $month and status = 'entered'
)
select time_control, fide_id, entry.games, due.games as games_due, entry.score_halves,
    due.score_halves as score_halves_due, entry.opponent_average, due.average_hundredths, entered.new_rating
from (select * from entry where month = $month) as entry
full join due using (time_control, fide_id)
full join entered using (time_control, fide_id)
where entry.games is distinct from due.games
    or entry.score_halves is distinct from due.score_halves
    or (entry.opponent_average * 100)::bigint is distinct from due.average_hundredths
    or (coalesce(entry.published, false) and entry.computed_rating is distinct from entered.new_rating)
    or (entered.new_rating is not null and not coalesce(entry.published, false));
