-- One row per player of one of the earlier lists. A list is named by its number: text in millions of rows is expensive.
select
    list_no,
    is_newest,
    fide_id,
    rating,
    games_played,
    reached_2400,
    reached_2300
from list_to_stand_on join earlier using (time_control, month)
where basis = $basis;
