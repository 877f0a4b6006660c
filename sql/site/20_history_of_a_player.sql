-- How did a player's rating move? Write another FIDE ID in place of this one.
select
    list_month,
    games,
    rating
from lists
where fide_id = {player} and time_control = '{control}'
order by list_month;
