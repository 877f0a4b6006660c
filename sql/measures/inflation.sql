-- One row per list of the series from the first one on. Inflation in five ways, because no single number shows it: the
-- mean of all moves with who enters and leaves; the mean of the same players ages with them; the best hundred are not
-- many; newcomers show whether a first rating is worth as much as before, and what becomes of it; points that games
-- create are counted game by game, because players with different K do not exchange them.
with shown as (
    select series.*,
        count(*) over (partition by series.fide_id) = (select count(*) from series_month where list_month >= $first)
            as is_on_every_list,
        row_number() over (partition by list_month order by rating desc, series.fide_id) <= 100 as is_at_the_top
    from series
    where list_month >= $first
),
of_list as (
    select list_month,
        count(*) as players,
        sum(rating) as total,
        sum(rating::bigint * rating) as squares,
        count(*) filter (is_on_every_list) as same_players,
        sum(rating) filter (is_on_every_list) as same_total,
        count(*) filter (is_at_the_top) as top_players,
        sum(rating) filter (is_at_the_top) as top_total
    from shown
    group by list_month
),
entrance as (
    select list_month, fide_id, new_rating as rating from change where status = 'entered'
),
entered as (
    select list_month, count(*) as entered, sum(rating) as entered_total from entrance group by list_month
),
seen_again as (
    select shown.list_month,
        count(*) as seen,
        sum(entrance.rating) as at_entry,
        sum(shown.rating) as now
    from shown join entrance on entrance.fide_id = shown.fide_id
        and entrance.list_month = strftime(strptime(shown.list_month || '-01', '%Y-%m-%d') - interval 12 month, '%Y-%m')
    group by shown.list_month
),
game as (
    select list_month, count(*) as sides, sum(change_hundredths) as points, count(change_hundredths) = sides as is_known
    from side
    group by list_month, event_id, round, least(fide_id, opponent_id), greatest(fide_id, opponent_id)
),
exchanged as (
    select list_month,
        count(*) filter (sides = 2) as games,
        count(*) filter (sides = 1) as games_of_one_side,
        if(bool_and(is_known), coalesce(sum(points) filter (sides = 2), 0), null) as points,
        if(bool_and(is_known), coalesce(sum(points) filter (sides = 1), 0), null) as points_of_one_side,
    from game
    group by list_month
),
month as (
    select *, list_month in (select list_month from published_month) as is_published,
        strftime(strptime(list_month || '-01', '%Y-%m-%d') - interval 12 month, '%Y-%m')
            in (select list_month from published_month) as was_published
    from series_month
    where list_month >= $first
)
select
    list_month,
    coalesce(players, 0) as players,
    mean_hundredths(total, players) as mean_hundredths,
    coalesce(same_players, 0) as same_players,
    mean_hundredths(same_total, same_players) as same_mean_hundredths,
    coalesce(top_players, 0) as top_players,
    mean_hundredths(top_total, top_players) as top_mean_hundredths,
    if(is_published, coalesce(entered, 0), null) as entered,
    mean_hundredths(entered_total, entered) as entered_mean_hundredths,
    if(was_published, coalesce(seen, 0), null) as entered_12_before,
    mean_hundredths(at_entry, seen) as mean_at_entry_hundredths,
    mean_hundredths(now, seen) as mean_now_hundredths,
    if(is_published, coalesce(games, 0), null) as games,
    if(is_published and games is null, 0, points) as points_gained_hundredths,
    if(is_published, coalesce(games_of_one_side, 0), null) as games_of_one_side,
    if(is_published and games is null, 0, points_of_one_side) as points_of_one_side_hundredths,
    deviation_hundredths(total, squares, players) as deviation_hundredths,
    error_hundredths(total, squares, players) as standard_error_hundredths
from month
left join of_list using (list_month)
left join entered using (list_month)
left join seen_again using (list_month)
left join exchanged using (list_month)
order by list_month
