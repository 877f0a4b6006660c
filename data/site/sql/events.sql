-- The events of a month: rated ones by day, the newest first; then the others, the refused ones last.
select
    event_id, name, federation, time_control, start_date::varchar as start_date, end_date::varchar as end_date, status,
    reason, players, games
from events where month = getvariable('month')
order by
    case status when 'rated' then 0 when 'refused' then 2 else 1 end,
    case when status = 'rated' then start_date end desc nulls last, status, reason, event_id;
