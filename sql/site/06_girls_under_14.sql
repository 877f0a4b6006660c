-- Who leads the girls under 14?
select fide_id, name, federation, birth_year, time_control, rating
from lists
where list_month = newest_list() and sex = 'F' and birth_year >= {year} - 14
order by rating desc, fide_id asc
limit 20;
