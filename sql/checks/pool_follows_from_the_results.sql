-- The results that wait are those that waited before and have not lapsed, and those counted now, of all players who are
-- still unrated.
-- Nothing is lost and nothing added, and each result has the month that counted it and the month it lapses in.
-- For the FIDE system only.
with due as (
    select time_control, fide_id, event_id, games, score_halves, opponent_rating_sum, counted_month, expires_month
    from tranche
    anti join (select time_control, fide_id from change where month = $month and status = 'entered') as entered
        using (time_control, fide_id)
),
waiting as (
    -- the pool itself names a result counted now, so its event_id is not compared
    select time_control, fide_id, case when counted_month <> $month then event_id end as event_id, games, score_halves,
        opponent_rating_sum, counted_month, expires_month
    from pool where month = $month
)
select 'in the pool, and should not be' as wrong, *
from (from waiting except all from due)
union all
select 'should be in the pool, and is not' as wrong, *
from (from due except all from waiting);
