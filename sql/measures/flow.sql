-- One row per part of the flow of points from the list before: before + games + other changes + entering - leaving =
-- after.
with moved as (
    select before.rating as old, after.rating as new,
        if(old is null or new is null, null, coalesce(gained, 0)) as by_games,
        new - old - by_games as otherwise
    from (select fide_id, rating from series where list_month = $before) as before
    full join (select fide_id, rating from series where list_month = $list_month) as after using (fide_id)
    left join (select fide_id, sum(change) as gained from change where list_month > $before group by all) using (fide_id)
),
parts as (
    select unnest([
        {'part': 'before', 'players': count(old), 'points': sum(old)},
        {'part': 'games', 'players': count(*) filter (by_games <> 0), 'points': sum(by_games)},
        {'part': 'other_changes', 'players': count(*) filter (otherwise <> 0), 'points': sum(otherwise)},
        {'part': 'entering', 'players': count(*) filter (old is null), 'points': sum(new) filter (old is null)},
        {'part': 'leaving', 'players': count(*) filter (new is null), 'points': sum(old) filter (new is null)},
        {'part': 'after', 'players': count(new), 'points': sum(new)}
    ], recursive := true)
    from moved
)
select $before as from_month, part, players, coalesce(points, 0) as points,
    mean_hundredths(points, players) as mean_hundredths
from parts
where $before is not null
