-- Who played most rated games on the last twelve lists?
select
    fide_id,
    max_by(name, list_month) as name,
    sum(games) as games
from lists
where list_month > '{year_ago}'
group by fide_id
having sum(games) > 0
order by games desc, fide_id asc
limit 20;
