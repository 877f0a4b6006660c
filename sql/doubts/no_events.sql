-- ask: Is it right that the list rates no event?
-- when: publish
--
-- Nothing was delivered, or nothing of it can be rated, or all of it counts on another list.
select
    count(*)::integer as events_known,
    (count(*) filter (status = 'refused' and dismissed.report_id is null))::integer as refused,
    (count(*) filter (status = 'refused' and dismissed.report_id is not null))::integer as dismissed,
    (count(*) filter (status = 'deferred'))::integer as deferred
from event left join dismissed_report as dismissed using (report_id)
where month = $month
having count(*) filter (status = 'rated') = 0
