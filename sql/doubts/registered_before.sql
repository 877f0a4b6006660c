-- note: {fide_id} {name} ({federation}, {birth_year}) is new, and may be {other_id}, who has the same name, birth and
-- federation: ratinglist find {other_id}. Where it is one person: ratinglist correct merge {fide_id} {other_id}
-- when: import-players
--
-- The spelling that is the same in both; days of birth where both are known. Of two new players the later is noted.
with here as (
    select fide_id, name, federation, birth_date, coalesce(birth_year, year(birth_date))::integer as birth_year
    from player
    where source_no = $source and fide_id not in (select fide_id from player where source_no < $source)
)
select here.fide_id, name, federation, here.birth_year, other.fide_id as other_id
from registered_person as other join here using (name, federation)
where other.fide_id <> here.fide_id
    and coalesce(other.birth_year, year(other.birth_date)) = here.birth_year
    and (other.birth_date = here.birth_date) is not false
    and (other.fide_id < here.fide_id or other.fide_id not in (select fide_id from here))
order by here.fide_id, other_id
