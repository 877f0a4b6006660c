-- Why is there no published list of the month before? Players look for it, and its games count on this list.
-- An imported list counts as published. The first list of a home has none before it. Nor is a month that has a
-- preview missing: it has to be published before this one.
with month_before as (
    select strftime(($month || '-01')::date - interval 1 month, '%Y-%m') as month
),
listed as (
    select month from published_month
    union select month from imported_list
    union select month from preview semi join standing_calculation using (month, calculation_id)
)
select month as missing, (select max(month) from listed where month < $month) as newest_before
from month_before
where month not in (select month from listed)
    and exists (select 1 from listed where month < $month);
