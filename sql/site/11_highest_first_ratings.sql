-- Which first ratings of this list are the highest?
select fide_id, lists.name, lists.federation, time_control, changes.new_rating, changes.games
from changes
inner join lists using (list_month, time_control, fide_id)
where list_month = newest_list() and changes.status = 'entered'
order by changes.new_rating desc, fide_id asc
limit 20;
