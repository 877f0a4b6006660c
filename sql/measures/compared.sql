-- One row per player of the list as it is, or of the changed one.
create table compared as
select
    fide_id,
    coalesce(name, '') as name,
    coalesce(federation, '') as federation,
    as_it_is.rating,
    changed.rating as changed_rating,
    changed_rating - as_it_is.rating as difference
from as_it_is full join changed using (fide_id) left join described using (fide_id)
