-- One row per group of players: all, by band of 200 points, by federation.
with grouped as (
    select compared.*,
        unnest([
            {'place': 1, 'grouping': 'all', 'band': 0, 'value': ''},
            {'place': 2, 'grouping': 'band', 'band': coalesce(rating, changed_rating) // 200 * 200, 'value': ''},
            {'place': 3, 'grouping': 'federation', 'band': 0, 'value': federation}
        ], recursive := true)
    from compared
),
counted as (
    select place, grouping, band,
        if(grouping = 'band', band::varchar, value) as value,
        count(difference) as players,
        count(*) filter (difference <> 0) as moved,
        count(*) filter (rating is null) as entering,
        count(*) filter (changed_rating is null) as leaving,
        mean_hundredths(sum(difference), players) as mean_hundredths,
        list_sort(list(difference) filter (difference is not null)) as differences
    from grouped
    group by all
)
select *,
    100 * differences[(players - 1) * 5 // 100 + 1] as lower_hundredths,
    100 * differences[(players - 1) * 50 // 100 + 1] as median_hundredths,
    100 * differences[(players - 1) * 95 // 100 + 1] as upper_hundredths
from counted
order by place, band, value
