-- The first games of a player are averaged with the old rating, and every later game changes that average.
-- A change is K times the score beyond the expected score; the new rating is rounded once.
-- For the system uscf only.
-- The first games are those by event (end date, start date, code) and round. Sums are in thousandths.
with rule as (
    select *, (select max(difference) from expected_thousandths) as last_difference from system_rule
),
placed as (
    select
        side.*,
        row_number() over (
            partition by side.fide_id
            order by event.end_date, event.start_date, event.event_id, side.round, side.opponent_id
        ) as place
    from system_side as side join event_of_month as event using (event_no)
    where side.reason = ''
),
of_player as (
    select
        fide_id,
        count(*) as games_due,
        any_value(listed.rating) as old_due,
        coalesce(any_value(games_played), 0) as played,
        -- a listed player without games has the rating of another list
        case
            when old_due is not null and played = 0 then 0
            else greatest(least(games_due, any_value(provisional.games) - played), 0)
        end as averaged
    from placed cross join rule left join system_listed as listed using (fide_id)
    group by fide_id
),
averages as (
    select
        fide_id,
        any_value(columns(of_player.* exclude (fide_id))),
        coalesce(sum(opponent_rating + provisional.points * (score_halves - 1)) filter (place <= averaged), 0)::bigint
            as sum_due,
        case
            when any_value(averaged) = 0 then any_value(old_due)
            else (
                2 * (any_value(played) * coalesce(any_value(old_due), 0) + sum_due) + any_value(played + averaged)
            ) // (2 * any_value(played + averaged))
        end as average
    from placed join of_player using (fide_id) cross join rule
    group by fide_id
),
judged as (
    select
        placed.*,
        average,
        case
            when place <= averaged then null
            when average >= placed.opponent_rating then higher_thousandths
            else 1000 - higher_thousandths
        end as expected_due,
        case
            when place <= averaged then null
            when average >= development_coefficient.master_from then development_coefficient.master
            else development_coefficient.normal
        end as k_due,
        k_due * (500 * placed.score_halves - expected_due) as change_due
    from placed
    join averages using (fide_id)
    cross join rule
    left join expected_thousandths as expected
        on expected.table_name = rule.expected_score.table
        and expected.difference = least(abs(average - placed.opponent_rating), last_difference)
),
sums as (
    select fide_id, coalesce(sum(change_due), 0)::bigint as exact_due from judged group by fide_id
),
compared as (
    select
        fide_id,
        computed.*,
        averages.* exclude (fide_id),
        exact_due,
        (2 * (1000 * average + exact_due) + 1000) // 2000 as rating_due
    from averages
    join sums using (fide_id)
    full join (
        select fide_id, status, old_rating, games, performance_games, performance_sum, change_thousandths, new_rating
        from system_change
    ) as computed using (fide_id)
)
select fide_id, null as round, status, games, games_due, coalesce(change_thousandths, 0) as change_thousandths,
    exact_due, new_rating, rating_due
from compared
where status is null
    or games is distinct from games_due
    or old_rating is distinct from old_due
    or coalesce(performance_games, 0) is distinct from averaged
    or coalesce(performance_sum, 0) is distinct from sum_due
    or coalesce(change_thousandths, 0) is distinct from exact_due
    or new_rating is distinct from rating_due
union all
select fide_id, round, 'game', k, k_due, change_thousandths, change_due, expected_thousandths, expected_due
from judged
where k is distinct from k_due
    or expected_thousandths is distinct from expected_due
    or change_thousandths is distinct from change_due;
