-- The new rating is the old one with the changes of the games, rounded once, or the minimum of a title.
-- The change of a game is K times the score beyond the expected score.
-- For the system club only.
-- K is that of games and rating on the list before: an unlisted player has no games. Sums are in thousandths.
with rule as (
    select *, (select max(difference) from expected_thousandths) as last_difference from system_rule
),
judged as (
    select
        side.* exclude (change_thousandths),
        side.change_thousandths,
        case
            when side.rating >= side.opponent_rating then higher_thousandths else 1000 - higher_thousandths
        end as expected_due,
        case
            when coalesce(games_played, 0) < rule.development_coefficient.new_until_games
                then rule.development_coefficient.new
            when listed.rating >= rule.development_coefficient.master_from then rule.development_coefficient.master
            when listed.rating >= rule.development_coefficient.formula_from then (2610 - listed.rating) // 20
            else rule.development_coefficient.normal
        end as k_due,
        k_due * (500 * side.score_halves - expected_due) as change_due
    from system_side as side
    cross join rule
    left join system_listed as listed using (fide_id)
    left join expected_thousandths as expected
        on expected.table_name = rule.expected_score.table
        and expected.difference = least(abs(side.rating - side.opponent_rating), last_difference)
    where side.reason = ''
),
of_player as (
    select fide_id, count(*)::integer as games_due, sum(change_due)::bigint as exact_due from judged group by fide_id
),
compared as (
    select
        fide_id,
        computed.*,
        coalesce(games_due, 0) as games_due,
        coalesce(exact_due, 0) as exact_due,
        coalesce(old_rating, new_rating - computed.change) as counted_as,
        (2 * (1000 * counted_as + coalesce(exact_due, 0)) + 1000) // 2000 as rating_due,
        [title_minimum.gm, title_minimum.im, title_minimum.fm] as minima,
        entry.rating as entry_rating
    from of_player
    full join (
        select fide_id, status, old_rating, games, change_thousandths, system_change.change, new_rating
        from system_change
    ) as computed using (fide_id)
    cross join rule
)
select fide_id, null as round, status, games, games_due, change_thousandths, exact_due, new_rating, rating_due
from compared
where status is null
    or games <> games_due
    or change_thousandths is distinct from exact_due
    or not (new_rating = rating_due or (new_rating > rating_due and new_rating in minima))
    or (old_rating is null and counted_as <> entry_rating and counted_as not in minima)
union all
select fide_id, round, 'game', k, k_due, change_thousandths, change_due, expected_thousandths, expected_due
from judged
where k is distinct from k_due
    or expected_thousandths is distinct from expected_due
    or change_thousandths is distinct from change_due;
