-- ask: Is it right that players lose a name, federation, sex, title or club, or get back an earlier one?
-- when: import-players import-list
--
-- A text is lost where it becomes blank, where letters of a name become question marks, and, but for a list, which may
-- give a player an earlier federation back, where it becomes what it was in an earlier version. A last day in a club is
-- lost where it becomes blank in the same club. The name before the change names a player whose name is lost.
with earlier as (
    unpivot (
        select distinct fide_id, name, federation, sex, title, women_title from player
        where source_no < $source and $month = '' and fide_id in (select fide_id from changed_cell)
    )
    on name, federation, sex, title, women_title
    into name "column" value after
),
cell as (
    select *, "column" = 'name' as is_name, '[?' || chr(65533) || ']' as lost_letter,
        (fide_id, "column", after) in (select (fide_id, "column", after) from earlier) as was_so
    from changed_cell
    where before <> '' and "column" in ('name', 'federation', 'sex', 'title', 'women_title', 'club', 'member_until')
)
select fide_id, if(is_name, before, name) as name, "column", before, if(after = '', 'blank', after) as after
from cell
where (after = '' or was_so or is_name and regexp_matches(after, lost_letter) and not regexp_matches(before, lost_letter))
    and not ("column" = 'member_until' and fide_id in (select fide_id from changed_cell where "column" = 'club'))
order by all
