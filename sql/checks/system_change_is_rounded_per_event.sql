-- In the national Elo a player's change is the sum of the changes of the events, each rounded, .5 away from zero, and
-- the change of a game is K times the score beyond the expected score.
-- For other systems than FIDE's only.
with wrong_side as (
    select fide_id, k, score_halves, expected_hundredths, change_hundredths
    from side_of_month
    where reason = '' and change_hundredths is distinct from k * (50 * score_halves - expected_hundredths)
),
of_event as (
    select fide_id, sum(change_hundredths)::bigint as exact, count(*)::integer as games
    from side_of_month where reason = '' group by fide_id, event_no
),
due as (
    select
        fide_id,
        sum(exact)::bigint as exact_due,
        sum(sign(exact) * ((abs(exact) + 50) // 100))::bigint as change_due,
        sum(games)::bigint as games_due
    from of_event
    group by fide_id
),
computed as (
    select fide_id, status, games, change_hundredths, change from change where month = $month
)
select fide_id, status, games, games_due, change_hundredths, exact_due, change, change_due
from computed full join due using (fide_id)
where (select bool_or(system = 'fsi') from list_rule)
    and (
        coalesce(games, 0) <> coalesce(games_due, 0)
        or coalesce(change_hundredths, 0) <> coalesce(exact_due, 0)
        or (status <> 'lapsed' and change is distinct from change_due)
        or (status is null)
    )
union all
select fide_id, 'rated', null, k, change_hundredths, expected_hundredths, score_halves, null
from wrong_side
where (select bool_or(system = 'fsi') from list_rule);
