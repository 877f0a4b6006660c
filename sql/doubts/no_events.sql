-- ask: Is it right that the list rates no event?
-- when: publish
--
-- Nothing was delivered, or nothing of it can be rated, or all of it counts on another list.
select
    count(*)::integer as events_known,
    (count(*) filter (status = 'refused'))::integer as refused,
    (count(*) filter (status = 'deferred'))::integer as deferred
from event
where month = $month
having count(*) filter (status = 'rated') = 0
