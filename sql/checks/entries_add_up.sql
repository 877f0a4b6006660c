-- Every published first rating is on the list, with the games of this period, and no other player enters.
-- For the FIDE system only.
with of_period as (
    select time_control, fide_id, coalesce(sum(games) filter (event_id is null), 0)::bigint as games
    from tranche
    group by time_control, fide_id
),
entered as (
    select time_control, fide_id, games, k, change_hundredths, change, new_rating
    from change where month = $month and status = 'entered'
)
select time_control, fide_id, entry.computed_rating, entered.new_rating, entered.games as games_now,
    of_period.games as games_now_due
from (select * from entry where month = $month) as entry
full join entered using (time_control, fide_id)
left join of_period using (time_control, fide_id)
where (coalesce(entry.published, false) and entry.computed_rating is distinct from entered.new_rating)
    or (entered.new_rating is not null and not coalesce(entry.published, false))
    or entered.games <> of_period.games
    or entered.k is not null
    or entered.change_hundredths is not null
    or entered.change is not null;
