-- Why results of the newest list were not rated, the commonest reason first. A game is two results, one a player.
with newest as (
    select max(list_month) as list_month
    from events
)

select time_control, reason, results, players, events
from not_rated
inner join newest using (list_month)
order by results desc, time_control, reason
