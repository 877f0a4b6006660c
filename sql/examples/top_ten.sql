-- The ten highest rated active players of each time control on the newest list. Equal ratings share a place.
select time_control, place, name, federation, title, rating
from federation_top
where list_month = newest_list() and place <= 10
order by time_control, place, fide_id
