-- Who leads the players of 65 and more in standard chess?
select fide_id, name, federation, birth_year, rating
from lists
where list_month = newest_list() and time_control = 'standard' and birth_year <= {year} - 65
order by rating desc, fide_id asc
limit 20;
