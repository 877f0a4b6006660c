-- Why results of the newest list were not rated, the most frequent reason first. A game is two results, one per player.
select time_control, reason, results, players, events
from not_rated
where list_month = newest_list()
order by results desc, time_control, reason
