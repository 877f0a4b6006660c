-- stop: A player enters the list with enough games, and with the first rating computed, between the floor and the
-- highest one allowed; nobody else enters.
-- when: publish
--
-- For the FIDE system alone.
select time_control, fide_id, entered_by.games, entered_by.computed_rating, entered.new_rating, "list".floor as floor,
    list_rule.entry.maximum as cap
from (select * from entry where month = $month and published) as entered_by
full join (select * from change where month = $month and status = 'entered') as entered using (time_control, fide_id)
join list_rule using (time_control)
where list_rule.system = 'fide'
    and (
        entered_by.computed_rating is distinct from entered.new_rating
        or entered_by.games < list_rule.entry.min_games
        or entered_by.computed_rating < floor
        or (cap > 0 and entered_by.computed_rating > cap)
    )
