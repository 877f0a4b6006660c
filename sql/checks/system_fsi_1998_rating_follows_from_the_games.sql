-- The new rating is the old one with the changes of the events, taken up after every fourth, or that of a promotion.
-- An unlisted player enters by the best promotion alone.
-- For the system fsi-1998 only.
-- The expected score of an event is rounded to a step; the change of a game is exact. The category of a listed player is not
-- in these tables: whether one who may be promoted has category 3N is not checked.
with rule as (
    select *, (select max(difference) from expected_score) as last_difference from system_rule
),
placed as (
    select
        side.*,
        (
            dense_rank() over (
                partition by side.fide_id order by event.end_date, event.start_date, event.event_id, event.event_no
            ) - 1
        ) // case when change.refresh_every = 0 then 1000000 else change.refresh_every end as block,
        greatest(-rule.expected_score.cap, least(rule.expected_score.cap, side.rating - side.opponent_rating))
            as difference_due,
        case
            when side.rating < development_coefficient.low_below then development_coefficient.low
            when side.rating <= development_coefficient.middle_to then development_coefficient.middle
            else development_coefficient.high
        end as k_due
    from system_side as side join event_of_month as event using (event_no) cross join rule
    where side.reason = ''
),
judged as (
    select
        placed.*,
        case when difference_due >= 0 then higher_hundredths else 100 - higher_hundredths end as expected_due,
        k_due * (50 * score_halves - expected_due) as change_due
    from placed
    cross join rule
    left join expected_score as expected
        on expected.table_name = rule.expected_score.table
        and expected.difference = least(abs(difference_due), last_difference)
),
of_event as (
    select
        fide_id,
        block,
        min(rating) as own,
        max(rating) as largest_own,
        count(*) as games,
        any_value(k_due) as k_due,
        any_value(k_due) * (
            50 * sum(score_halves)
            - any_value(rule.expected_score.sum_step)
                * ((2 * sum(expected_due) + any_value(rule.expected_score.sum_step))
                    // (2 * any_value(rule.expected_score.sum_step)))
        ) as exact
    from judged cross join rule
    group by fide_id, block, event_no
),
of_block as (
    select
        fide_id,
        block,
        min(own) as own,
        max(largest_own) as largest_own,
        sum(games)::integer as games,
        sum(exact)::bigint as exact,
        (2 * (100 * min(own) + sum(exact)) + 100)::bigint // 200 as after
    from of_event
    group by fide_id, block
),
used as (
    select
        of_block.*,
        coalesce(lag(after) over (partition by fide_id order by block), listed.rating) as own_due
    from of_block left join system_listed as listed using (fide_id)
),
of_player as (
    select
        fide_id,
        sum(games)::integer as games_due,
        sum(exact)::bigint as exact_due,
        arg_max(after, block) as after,
        bool_and(own = own_due and largest_own = own) as is_own_due
    from used
    group by fide_id
),
played as (
    select
        side.*,
        bool_and(side.rating is null) over (partition by event_no) as is_unlisted_event
    from system_side as side
    where side.reason in ('', 'counts_for_promotion')
),
performed as (
    select
        fide_id,
        count(*) as games,
        sum(opponent_rating) + 400 * (sum(score_halves) - count(*)) as performance,
        case
            when not any_value(is_unlisted_event) and performance >= any_value(entry.second_from) * count(*) then 2
            when case
                when any_value(is_unlisted_event)
                    then 50 * sum(score_halves) >= any_value(entry.third_share_hundredths) * count(*)
                else performance >= any_value(entry.third_from) * count(*)
            end then 1
            else 0
        end as step
    from played cross join rule
    group by fide_id, event_no
    having count(*) >= any_value(entry.min_games)
),
promotions as (
    select fide_id, max(step) as step, case when max(step) = 2 then any_value(entry.second_rating) else any_value(entry.third_rating) end as promoted_to
    from performed cross join rule
    group by fide_id
    having max(step) > 0
),
compared as (
    select
        fide_id,
        computed.*,
        listed.rating as old_due,
        coalesce(games_due, unlisted.games) as games_due,
        exact_due,
        after,
        is_own_due,
        step,
        promoted_to
    from of_player
    full join (
        select fide_id, status, old_rating, games, change_hundredths, new_rating from system_change
    ) as computed using (fide_id)
    full join promotions using (fide_id)
    left join system_listed as listed using (fide_id)
    left join (select fide_id, count(*)::integer as games from played where rating is null group by fide_id) as unlisted
        using (fide_id)
)
select fide_id, null as round, status, games, games_due, change_hundredths, exact_due, new_rating,
    coalesce(after, promoted_to) as rating_due
from compared
where status is null
    or old_rating is distinct from old_due
    or games is distinct from games_due
    or (
        old_due is not null
        and (
            not is_own_due
            or change_hundredths is distinct from exact_due
            or (new_rating <> after and not (step = 2 and new_rating = greatest(after, promoted_to)))
        )
    )
    or (old_due is null and new_rating is distinct from promoted_to)
union all
select fide_id, round, 'game', k, k_due, change_hundredths, change_due, expected_hundredths, expected_due
from judged
where k is distinct from k_due
    or difference_used is distinct from difference_due
    or expected_hundredths is distinct from expected_due
    or change_hundredths is distinct from change_due;
