-- One row per group of players of the list.
with counted as (
    select place, grouping, value, lower_limit,
        count(*) as players,
        sum(rating) as rating_sum,
        sum(rating::bigint * rating) as squares,
        count(birth_year) as ages,
        $year * ages - sum(birth_year) as years,
        if(lower_limit is null, null, count(*) filter (rating < lower_limit)) as below_limit
    from member
    group by place, grouping, value, lower_limit
)
select *,
    mean_hundredths(rating_sum, players) as mean_hundredths,
    deviation_hundredths(rating_sum, squares, players) as deviation_hundredths,
    error_hundredths(rating_sum, squares, players) as standard_error_hundredths,
    mean_hundredths(years, ages) as mean_age_hundredths,
    mean_hundredths(below_limit, players) as share_below_hundredths
from counted
order by place
