-- Who leads the women in standard chess?
select fide_id, name, federation, title, rating
from lists
where list_month = newest_list() and time_control = 'standard' and sex = 'F'
order by rating desc, fide_id asc
limit 20;
