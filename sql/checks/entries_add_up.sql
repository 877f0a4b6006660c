-- An unrated player's games, points and average opponent follow from the games against rated opponents that count, and
-- every published first rating is on the list.
-- Games count from this period and from the pool. Only published entries enter the list.
-- For the FIDE system only.
with sums as (
    select
        time_control,
        fide_id,
        sum(games)::bigint as games,
        sum(score_halves)::bigint as score_halves,
        sum(opponent_rating_sum)::bigint as opponent_rating_sum,
        coalesce(sum(games) filter (event_id is null), 0)::bigint as games_of_period
    from tranche
    group by time_control, fide_id
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
    select time_control, fide_id, games, k, change_hundredths, change, new_rating
    from change where month = $month and status = 'entered'
)
select time_control, fide_id, entry.games, due.games as games_due, entry.score_halves,
    due.score_halves as score_halves_due, entry.opponent_average, due.average_hundredths, entered.new_rating,
    entered.games as games_now, due.games_of_period as games_now_due
from (select * from entry where month = $month) as entry
full join due using (time_control, fide_id)
full join entered using (time_control, fide_id)
where entry.games is distinct from due.games
    or entry.score_halves is distinct from due.score_halves
    or (entry.opponent_average * 100)::bigint is distinct from due.average_hundredths
    or (coalesce(entry.published, false) and entry.computed_rating is distinct from entered.new_rating)
    or (entered.new_rating is not null and not coalesce(entry.published, false))
    or entered.games <> due.games_of_period
    or entered.k is not null
    or entered.change_hundredths is not null
    or entered.change is not null;
