-- One row per unrated player and event whose results count for an entry on this list: entry_counted without list_no, and
-- without the players who are rated.
with rated as (
    -- a handful of players: the lists are scanned once for them
    select list_no, fide_id
    from earlier_list semi join entry_counted using (fide_id)
    where rating is not null
    union all
    select list_no, fide_id
    from player_totals semi join entry_counted using (fide_id)
    where rated_games > 0
)
select entry_counted.* exclude (list_no)
from entry_counted anti join rated using (list_no, fide_id);
