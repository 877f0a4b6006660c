-- Events of the newest list that were not rated, and why: the answer to an organiser.
select event_id, name, federation, time_control, end_date, status, reason, players, games
from event_results
where list_month = newest_list() and status <> 'rated'
order by federation, end_date, event_id
