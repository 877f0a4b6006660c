-- The twenty players with the largest gains on the newest list, with the exact change before rounding.
select
    time_control,
    name,
    federation,
    old_rating,
    change,
    new_rating,
    games,
    change_hundredths * 0.01 as exact_change
from movers
where list_month = newest_list() and change > 0
order by change desc, change_hundredths desc, time_control, fide_id
limit 20
