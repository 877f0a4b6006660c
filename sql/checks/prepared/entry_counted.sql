-- One row per player and event whose results count for an entry on this list, if the player is still unrated: those that
-- waited in the pool and have not lapsed, and those of the period (event_id is null: the pool gives them one).
-- list_no: the newest list before.
with counted as (
    select
        pool.time_control,
        coalesce(current_identity.now_id, pool.fide_id) as fide_id,
        pool.event_id,
        pool.games,
        pool.score_halves,
        pool.opponent_rating_sum,
        pool.counted_month,
        pool.expires_month
    from pool
    join list_rule using (time_control)
    left join current_identity using (fide_id)
    where pool.month = (select max(month) from standing_calculation where month < $month)
        and pool.counted_month
            > strftime(($month || '-01')::date - to_months(list_rule.entry.window_lists::integer), '%Y-%m')
    union all
    select
        event.time_control,
        summed.fide_id,
        null,
        summed.games,
        summed.score_halves,
        summed.opponent_rating_sum,
        $month,
        strftime(($month || '-01')::date + to_months(list_rule.entry.window_lists::integer), '%Y-%m')
    from (
        select
            event_no,
            fide_id,
            count(*)::integer as games,
            sum(score_halves)::integer as score_halves,
            sum(opponent_rating)::integer as opponent_rating_sum
        from side_of_month as side
        where reason = 'counts_for_entry'
        group by event_no, fide_id
    ) as summed
    join event_of_month as event using (event_no)
    join list_rule using (time_control)
    where event.status = 'rated'
)
select list_no, counted.* from counted join earlier using (time_control) where is_newest;
