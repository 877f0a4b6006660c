-- One row per system and game that it predicts: its losses in units of 1e-9, and the groups that the game is in.
create table scored as
with expected as (
    select *,
        score_halves / 2 as y,
        expected_billionths / 1e9 as e,
        greatest(0.01, least(0.99, e)) as limited,
        -(y * ln(limited) + (1 - y) * ln(1 - limited)) as loss
    from prediction
    where expected_billionths is not null
)
select
    system, event_id, round, white_id, black_id,
    expected_billionths::bigint as expected,
    score_halves::bigint as halves,
    round(1e9 * loss)::bigint as log_loss,
    round(1e9 * (loss / ln(10)))::bigint as deviance,
    round(1e9 * ((e - y) * (e - y)))::bigint as brier,
    score_halves <> 1 and expected_billionths <> 500000000 as is_decisive,
    is_decisive and (score_halves = 2) = (expected_billionths > 500000000) as won_by_favourite,
    (50 * floor(difference / 50))::integer::varchar as difference,
    ((white.rating + black.rating) // 400 * 200)::varchar as rating_band,
    if(white.rating is null or black.rating is null, 'yes', 'no') as newcomers,
    -- Of the younger player: the greatest year; that of the one whose year is known.
    $year - greatest(white.birth_year, black.birth_year) as years,
    case when years < 18 then 'under 18' when years < 65 then '18 to 64' when years >= 65 then '65 and over' end as age
from expected
left join known as white on white.fide_id = white_id
left join known as black on black.fide_id = black_id
