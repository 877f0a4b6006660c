-- A player enters the list with enough games and a rating between the floor and the highest first rating, and no listed
-- rating is below the floor.
-- For the FIDE system only.
select entry.time_control, entry.fide_id, entry.games, entry.computed_rating as rating,
    list_rule."list".floor as floor, list_rule.entry.maximum as cap
from entry join list_rule using (time_control)
where entry.month = $month
    and entry.published
    and (
        entry.computed_rating is null
        or entry.games < list_rule.entry.min_games
        or entry.computed_rating < floor
        or (cap > 0 and entry.computed_rating > cap)
    )
union all
select change.time_control, change.fide_id, change.games, change.new_rating, list_rule."list".floor as floor,
    list_rule.entry.maximum as cap
from change join list_rule using (time_control)
where change.month = $month
    and change.status = 'entered'
    and (change.new_rating is null or change.new_rating < floor or (cap > 0 and change.new_rating > cap))
union all
select list_state.time_control, list_state.fide_id, list_state.games, list_state.rating, list_rule."list".floor as floor,
    null
from list_state join list_rule using (time_control)
where list_state.month = $month and list_state.rating < floor;
