-- Events of the newest list that were not rated, and why: what to answer when an organiser calls.
with newest as (
    select max(list_month) as list_month
    from events
)

select event_id, name, federation, time_control, end_date, status, reason, players, games
from event_results
inner join newest using (list_month)
where status <> 'rated'
order by federation, end_date, event_id
