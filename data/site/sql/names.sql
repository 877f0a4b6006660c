-- Everybody with a name, with the ratings of the newest lists and the change on the first of them.
with changed as (
    select fide_id, change from changes
    where month = getvariable('month') and time_control = getvariable('control') and change <> 0
)
select person.fide_id as id, name, federation, title, birth_year, standard, rapid, blitz, change
from person left join rated using (fide_id) left join changed using (fide_id)
where name <> '' order by greatest(standard, rapid, blitz) desc nulls last, id;
