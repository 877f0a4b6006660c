-- The ten best active players of each time control on the newest list. Equal ratings share a place.
with newest as (
    select max(list_month) as list_month
    from lists
)

select time_control, place, name, federation, title, rating
from federation_top
inner join newest using (list_month)
where place <= 10
order by time_control, place, fide_id
