-- Who are the youngest rated 2000 or more?
select fide_id, name, federation, time_control, rating, birth_year
from lists
where list_month = newest_list() and rating >= 2000 and birth_year is not null
order by birth_year desc, rating desc, fide_id asc
limit 20;
