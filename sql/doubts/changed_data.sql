-- ask: Is it right that the file changes these players' births, sexes, titles or federations, or the form of their names
-- (is a line another person's, or was a part of the file sorted, shifted or filled by itself)?
-- when: import-players import-list
--
-- Births, sexes, forms of names, and titles taken away: of ten players who were known, and of more than one in a hundred
-- that the file names; births and sexes of players who are on a list from the first player on, because a file of a few
-- rows has no ten, and K and the lists of women and juniors depend on them. New titles and federations: of ten, and of
-- more than one in a hundred registered. To fill a blank, or to complete a year to a date, changes nothing. A surname
-- alone, the given name first and capitals alone are other forms of a name.
with pair as (
    select now, was,
        [
            contains(now.name, ','), contains(now.name, ' '), now.name = upper(now.name) and now.name <> lower(now.name)
        ] as form,
        [
            contains(was.name, ','), contains(was.name, ' '), was.name = upper(was.name) and was.name <> lower(was.name)
        ] as form_was
    from version_pair
),
cell as (
    select now.fide_id, now.name, 'birth year' as what, was.birth_year::varchar as before, now.birth_year::varchar as after,
        true as is_lost
    from pair where now.birth_year <> was.birth_year
    union all
    select now.fide_id, now.name, 'date of birth', 'not shown', 'not shown', true
    from pair
    where now.birth_year = was.birth_year and now.birth_date <> was.birth_date
        and strftime(was.birth_date, '%m-%d') <> '01-01'
    union all
    select now.fide_id, now.name, 'sex', was.sex, now.sex, true from pair where now.sex <> was.sex and '' not in (now.sex, was.sex)
    union all
    select now.fide_id, now.name, 'name', was.name, now.name, true
    from pair where form <> form_was and '' not in (now.name, was.name)
    union all
    select now.fide_id, now.name, 'title', was.title, now.title, now.title = ''
    from pair where now.title <> was.title and '' in (now.title, was.title)
    union all
    select now.fide_id, now.name, 'federation', was.federation, now.federation, false
    from pair where now.federation <> was.federation and '' not in (now.federation, was.federation)
),
judged as (
    select *, what in ('birth year', 'date of birth', 'sex') and fide_id in (select fide_id from list_state) as is_listed
    from cell
),
counted as (
    select is_lost, count(distinct fide_id)::integer as players,
        count(distinct fide_id) filter (is_listed) as listed_players,
        if(is_lost, $named, (select count(distinct fide_id) from player))::integer as of_players
    from judged group by is_lost
)
select fide_id, name, what, before, after, players, of_players
from judged join counted using (is_lost)
where 100 * players > of_players and players >= 10 or is_listed and 100 * listed_players > of_players
order by all
