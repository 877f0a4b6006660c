-- One row per player and column in which two lists differ. A player on one list alone differs in the rating.
with player as (
    select fide_id, coalesce(ours.written, theirs.written) as name, ours, theirs,
        ours.fide_id is not null and theirs.fide_id is not null as on_both,
        bool_or(contains(theirs.flag, 'w')) over () as has_women
    from ours full join theirs using (fide_id)
),
value as (
    select fide_id, name, on_both, unnest([
            {'column': 'rating', 'ours': ours.rating::varchar, 'official': theirs.rating::varchar,
                'differs': ours.rating is distinct from theirs.rating},
            {'column': 'games', 'ours': ours.games::varchar, 'official': theirs.games::varchar,
                'differs': on_both and ours.games <> theirs.games},
            {'column': 'k', 'ours': ours.k::varchar, 'official': theirs.k::varchar,
                'differs': on_both and theirs.k is not null and ours.k is distinct from theirs.k},
            -- The letter w repeats the sex, also where a list has left that out.
            {'column': 'flag', 'ours': ours.flag, 'official': theirs.flag,
                'differs': on_both and case when list_contains($compared, 'sex') or not has_women
                    then replace(ours.flag, 'w', '') <> replace(theirs.flag, 'w', '')
                    else ours.flag <> theirs.flag end},
            {'column': 'name', 'ours': ours.written, 'official': theirs.written,
                'differs': on_both and theirs.written <> '' and ours.name <> theirs.name},
            {'column': 'federation', 'ours': ours.federation, 'official': theirs.federation,
                'differs': on_both and theirs.federation <> '' and ours.federation <> theirs.federation},
            {'column': 'sex', 'ours': ours.sex, 'official': theirs.sex,
                'differs': on_both and theirs.sex <> '' and ours.sex <> theirs.sex},
            {'column': 'title', 'ours': ours.title, 'official': theirs.title,
                'differs': on_both and ours.title <> theirs.title},
            {'column': 'women_title', 'ours': ours.women_title, 'official': theirs.women_title,
                'differs': on_both and ours.women_title <> theirs.women_title}
        ], recursive := true)
    from player
)
select fide_id, name, "column", coalesce(ours, '') as ours, coalesce(official, '') as official
from value where differs and list_contains($compared, "column")
order by fide_id, "column"
