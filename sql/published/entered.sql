-- One row per list, time control and player with a first rating: the rating, and the results behind it where the system of
-- the list states them in entries.
with newcomers as (
    select list_month, time_control, fide_id
    from changes
    where status = 'entered'
),

results as (
    select list_month, time_control, fide_id, games, score_halves, opponent_average, p_hundredths, dp, computed_rating
    from entries
    where published
),

named as (
    select list_month, time_control, fide_id, name, federation, sex, birth_year, rating, k
    from lists
),

first_ratings as (
    select
        list_month,
        time_control,
        fide_id,
        name,
        federation,
        sex,
        birth_year,
        games,
        score_halves,
        opponent_average,
        p_hundredths,
        dp,
        computed_rating,
        rating,
        k
    from newcomers
    inner join named using (list_month, time_control, fide_id)
    left join results using (list_month, time_control, fide_id)
)

select * from first_ratings
