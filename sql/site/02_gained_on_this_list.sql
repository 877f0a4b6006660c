-- Who gained most on this list?
select
    time_control,
    fide_id,
    lists.name,
    changes.old_rating,
    changes.new_rating,
    changes.games,
    changes.change
from changes
inner join lists using (list_month, time_control, fide_id)
where list_month = newest_list() and changes.status = 'rated'
order by changes.change desc, fide_id asc
limit 20;
