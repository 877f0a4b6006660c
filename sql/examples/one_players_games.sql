-- Every game of one player on all lists, with its figures or why it was not rated. Put the FIDE ID at the top.
with the_player as (
    select 1234567 as fide_id
),

opponents as (
    select list_month, time_control, fide_id as opponent_id, name as opponent
    from lists
),

event_names as (
    select list_month, event_id, name as event
    from events
)

select
    list_month,
    time_control,
    event,
    round,
    colour,
    opponent_id,
    coalesce(opponent, '') as opponent,
    rating,
    opponent_rating,
    score_halves,
    expected_hundredths,
    k,
    change_hundredths,
    reason
from games
inner join the_player using (fide_id)
inner join event_names using (list_month, event_id)
left join opponents using (list_month, time_control, opponent_id)
order by list_month, time_control, event_id, round
