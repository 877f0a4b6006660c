-- One player's rating, list by list. Put the FIDE ID at the top.
with the_player as (
    select 1234567 as fide_id
)

select list_month, time_control, name, rating, difference, games, k, flag
from player_history
inner join the_player using (fide_id)
order by time_control, list_month
