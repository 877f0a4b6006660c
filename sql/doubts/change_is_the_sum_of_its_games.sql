-- stop: Every change is the sum of the changes of its games, by their K, rounded once, and no more than K for each game.
-- when: publish
--
-- For the FIDE system alone.
with of_event as (
    select
        time_control,
        fide_id,
        in_event.games,
        least_k,
        largest_k,
        change_hundredths,
        sign(change_hundredths) * ((abs(change_hundredths) + 50) // 100) as rounded,
        largest_change > 100 * largest_k as is_too_large
    from in_event join event using (event_no)
    where event.month = $month and in_event.games > 0
),
of_player as (
    select
        time_control,
        fide_id,
        sum(of_event.games)::integer as games_due,
        case when min(least_k) = max(largest_k) then min(least_k) end as k_due,
        sum(change_hundredths)::bigint as hundredths_due,
        sum(rounded)::bigint as sum_of_rounded,
        bool_or(is_too_large) as is_too_large
    from of_event
    group by time_control, fide_id
),
compared as (
    select
        time_control,
        fide_id,
        status,
        computed.games,
        coalesce(games_due, 0) as games_due,
        k,
        k_due,
        computed.change_hundredths,
        coalesce(hundredths_due, 0) as hundredths_due,
        computed.change,
        case
            when list_rule.change.rounded_per = 'event' then coalesce(sum_of_rounded, 0)
            else sign(coalesce(hundredths_due, 0)) * ((abs(coalesce(hundredths_due, 0)) + 50) // 100)
        end as change_due,
        is_too_large
    from of_player
    full join (select * from change where month = $month) as computed using (time_control, fide_id)
    join list_rule using (time_control)
    where list_rule.system = 'fide'
)
select * from compared
where is_too_large
    or status is null
    or (status = 'rated' and games_due = 0)
    or case
        when status = 'entered' then games_due > 0 or change_hundredths is not null or change is not null
        else (games, k, change_hundredths, change) is distinct from (games_due, k_due, hundredths_due, change_due)
    end
