-- The new rating and the new deviation are those that the games of the period give, all at once.
-- For the system glicko only.
-- Computed again in doubles from the published hundredths. The program has the deviations unrounded, so up to 5 hundredths
-- of a point are allowed.
with rule as (
    select *, ln(10) / 400 as q from system_rule
),
placed as (
    select
        side.*,
        1.0 / row_number() over (
            partition by side.fide_id
            order by coalesce(side.date, event.end_date) desc, event.end_date desc, event.event_id desc,
                side.round desc, side.opponent_id desc
        ) as share
    from system_side as side join event_of_month as event using (event_no)
    where side.reason = ''
),
judged as (
    select
        placed.*,
        q,
        case expected_score.weights
            when 'equal' then 1.0
            when 'harmonic' then share / avg(share) over (partition by fide_id)
            else share
        end as weight,
        1 / sqrt(1 + 3 * q * q * (opponent_deviation_hundredths / 100.0) ** 2 / pi() ** 2) as g,
        (rating_hundredths - opponent_rating_hundredths) / 100.0
            + case when is_white then expected_score.white else -expected_score.white end as points,
        1 / (1 + 10 ** (-g * points / 400)) as expected
    from placed cross join rule
),
of_player as (
    select
        fide_id,
        count(*)::integer as games_due,
        any_value(rating_hundredths) as own,
        q,
        1 / (
            1 / (any_value(deviation_hundredths) / 100.0) ** 2
            + q * q * sum(weight * g * g * expected * (1 - expected))
        ) as variance,
        sum(weight * g * (score_halves / 2.0 - expected)) as surplus
    from judged
    group by fide_id, q
),
due as (
    select
        fide_id,
        games_due,
        own + 100 * variance * of_player.q * surplus as rating_due,
        100 * greatest(sqrt(variance), deviation.least) as deviation_due
    from of_player cross join rule
),
computed as (
    select fide_id, status, games, rating_hundredths, deviation_hundredths, new_rating from system_change
)
select fide_id, null as round, status, games, games_due, rating_hundredths, round(rating_due) as rating_due,
    deviation_hundredths, round(deviation_due) as deviation_due
from computed full join due using (fide_id)
where status is null
    or games is distinct from games_due
    or new_rating is distinct from (rating_hundredths + 50) // 100
    or abs(rating_hundredths - rating_due) > 5
    or abs(deviation_hundredths - deviation_due) > 5
union all
select fide_id, round, 'game', expected_thousandths, round(1000 * expected), weight_thousandths,
    round(1000 * weight), null, null
from judged
where expected_thousandths is null
    or abs(expected_thousandths - 1000 * expected) > 1
    or abs(coalesce(weight_thousandths, 1000 * weight) - 1000 * weight) > 1;
