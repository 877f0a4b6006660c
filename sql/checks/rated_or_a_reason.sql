-- Every result and every event is either rated or has a reason why not.
-- Never both, never neither.
-- For the FIDE system only.
select event_id, round, fide_id, side.change_hundredths is not null as rated,
    coalesce(side.reason::varchar, event.reason) as reason
from side_in_doubt as side join event_of_month as event using (event_no)
where event.month = $month
    and (side.change_hundredths is not null) = (coalesce(side.reason::varchar, event.reason) <> '')
union all
select event_id, null, null, status = 'rated', reason
from event
where month = $month and (status = 'rated') = (reason <> '');
