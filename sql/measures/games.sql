-- One row per game that counts for a replayed list of a time control, with what the list in force when its event began
-- has of both players; null: not on it. first: the first replayed month; from_scratch: nobody was rated before it.
with played as (
    select
        game.month as list_month,
        event_id,
        round,
        fide_id as white_id,
        opponent_id as black_id,
        score_halves,
        event.rule_set,
        strftime(event.start_date, '%Y-%m') as began
    from game join event using (month, event_id)
    where game.month >= $first and event.time_control = $time_control and event.status = 'rated'
        and game.colour = 'w' and game.reason is distinct from 'same_game'
),
in_force as (
    select list_month, began, max(month) as base_month
    from (select distinct list_month, began from played)
    join standing_list on time_control = $time_control and month <= began and month < list_month
    group by all
),
listed as (
    select list_to_stand_on.month as base_month, list_to_stand_on.fide_id, rating, games_played as games,
        rating_hundredths, deviation_hundredths
    from list_to_stand_on left join calculated_system_state using (month, time_control, fide_id)
    where list_to_stand_on.time_control = $time_control and rating is not null
        and (list_to_stand_on.month >= $first or not $from_scratch)
)
select
    played.* exclude (began),
    white.rating as white_rating,
    white.games as white_games,
    white.rating_hundredths as white_rating_hundredths,
    white.deviation_hundredths as white_deviation_hundredths,
    black.rating as black_rating,
    black.games as black_games,
    black.rating_hundredths as black_rating_hundredths,
    black.deviation_hundredths as black_deviation_hundredths
from played
left join in_force using (list_month, began)
left join listed as white on white.base_month = in_force.base_month and white.fide_id = white_id
left join listed as black on black.base_month = in_force.base_month and black.fide_id = black_id
