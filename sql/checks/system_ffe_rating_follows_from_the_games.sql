-- The performance of the games between listed players of near strength weighs against the old rating as the rules say.
-- For the system ffe only.
-- The value of a player who enters comes from rounds over all waiting games, which these tables do not have: of it, only the
-- number of games is checked.
with listed as (
    select fide_id, rating
    from earlier_list join earlier using (list_no)
    where earlier_list.is_newest and time_control in (select time_control from list_rule) and rating is not null
),
judged as (
    select
        side.fide_id,
        side.round,
        side.rating,
        side.opponent_rating,
        side.score_halves,
        side.reason,
        case
            when own.rating is null then 'counts_for_entry'
            when opponent.rating is null then 'opponent_unrated'
            when abs(own.rating - opponent.rating) > system_rule.update.compatible then 'incompatible'
            else ''
        end as reason_due,
        own.rating as rating_due,
        opponent.rating as opponent_due
    from system_side as side
    cross join system_rule
    left join listed as own on own.fide_id = side.fide_id
    left join listed as opponent on opponent.fide_id = side.opponent_id
    where side.reason is not null and side.reason <> 'same_game'
),
of_player as (
    select
        fide_id,
        count(*)::bigint as n,
        sum(opponent_due + system_rule.update.points * (score_halves - 1))::bigint as x,
        any_value(rating_due)::bigint as old,
        any_value(system_rule.update.weight_games)::bigint as weight
    from judged cross join system_rule
    where reason_due = ''
    group by fide_id
),
due as (
    select
        *,
        case when x < n * old then weight * old + x when n >= weight then x else (weight - n) * old + x end as numerator,
        case when x < n * old then weight + n when n >= weight then n else weight end as denominator,
        (2 * numerator + denominator) // (2 * denominator) as new_due
    from of_player
),
computed as (
    select fide_id, status, old_rating, games, performance_games, performance_sum, new_rating
    from system_change
)
select fide_id, null as round, status, games, n as games_due, performance_sum, x as sum_due, new_rating, new_due
from computed full join due using (fide_id) cross join system_rule
where status is null
    or performance_games is distinct from games
    or (
        status <> 'entered'
        and (
            games is distinct from n
            or performance_sum is distinct from x
            or old_rating is distinct from old
            or new_rating is distinct from new_due
        )
    )
    or (status = 'entered' and (n is not null or games < entry.min_games))
union all
select fide_id, round, reason, rating, rating_due, opponent_rating, opponent_due, null, null
from judged
where reason <> reason_due or rating is distinct from rating_due or opponent_rating is distinct from opponent_due;
