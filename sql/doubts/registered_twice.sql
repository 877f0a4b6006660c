-- note: {fide_id} {name} ({federation}, {birth_year}) may be registered twice, as {other_id} {other_name} ({other_federation}, {birth_year}) too:
-- ratinglist correct merge {fide_id} {other_id}, where it is one person
-- when: rate
--
-- Of the players without a rating, and only the spelling that is the same in both: ratinglist identities compares all.
with person as (
    select fide_id, name, federation, coalesce(birth_year, year(birth_date))::integer as birth_year
    from registered_person
),
one as (
    select * from person
    where birth_year is not null and fide_id in (select fide_id from game where month = $month and rating is null)
)
select one.*, other.fide_id as other_id, other.name as other_name, other.federation as other_federation
from one join person as other
    on lower(other.name) = lower(one.name) and other.birth_year = one.birth_year and other.fide_id <> one.fide_id
where other.fide_id > one.fide_id or other.fide_id not in (select fide_id from one)
order by one.fide_id, other_id
