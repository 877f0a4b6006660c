-- One row per value that the import with the number $source changes for a known player, whose name is the one that it
-- brings. A day of birth is private: its row has blanks, and there is none where the year, which is shown, changes too.
with of_player as (
    select now.fide_id, now.name, unnest([
        {'column': 'name', 'before': was.name, 'after': now.name},
        {'column': 'federation', 'before': was.federation, 'after': now.federation},
        {'column': 'sex', 'before': was.sex, 'after': now.sex},
        {'column': 'title', 'before': was.title, 'after': now.title},
        {'column': 'women_title', 'before': was.women_title, 'after': now.women_title},
        {'column': 'other_titles', 'before': was.other_titles, 'after': now.other_titles},
        {
            'column': 'birth_year',
            'before': coalesce(was.birth_year::varchar, ''),
            'after': coalesce(now.birth_year::varchar, '')
        },
        {
            'column': 'birth_date',
            'before': coalesce(was.birth_date::varchar, ''),
            'after': case
                when now.birth_year is not distinct from was.birth_year then coalesce(now.birth_date::varchar, '')
                else coalesce(was.birth_date::varchar, '')
            end
        }
    ], recursive := true)
    from version_pair
),
membership_version as (
    select * from membership semi join (select fide_id from membership where source_no = $source) using (fide_id)
),
membership_pair as (
    select membership_version as now, lag(membership_version) over (partition by fide_id order by source_no) as was
    from membership_version
    qualify source_no = $source
),
of_member as (
    select now.fide_id, player_now.name, unnest([
        {'column': 'club', 'before': coalesce(was.club, ''), 'after': now.club},
        {
            'column': 'member_until',
            'before': coalesce(was.member_until::varchar, ''),
            'after': coalesce(now.member_until::varchar, '')
        }
    ], recursive := true)
    from membership_pair join player_now on player_now.fide_id = now.fide_id
    where now.fide_id in (select fide_id from player where source_no < $source)
)
select fide_id, name, "column",
    if("column" = 'birth_date', '', before) as before, if("column" = 'birth_date', '', after) as after
from (select * from of_player union all select * from of_member)
where before <> after
