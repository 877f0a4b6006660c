-- ask: Why is there no published list of the month before?
-- when: publish
-- remedy: ratinglist run {missing}
--
-- Players look for it, and its games count on this list. The month before is the last one in which the family has a
-- list. An imported list counts as published. The first list of a home has none before it. Nor is a month that has a
-- preview missing: it has to be published before this one.
with months as (
    select strftime(($month || '-01')::date - to_months(ago::integer), '%Y-%m') as month
    from (select unnest(range(1, 13)) as ago)
),
month_before as (
    select max(month) as month
    from months
    where (select bool_and(published_in is null) from list_rule)
        or right(month, 2)::integer in (select unnest(published_in) from list_rule)
),
listed as (
    select month from current_revision
    union select month from imported_list
    union select month from preview join calculation using (month, calculation_id) where is_standing
)
select month as missing, (select max(month) from listed where month < $month) as newest_before
from month_before
where not exists (select 1 from listed where listed.month >= month_before.month and listed.month < $month)
    and exists (select 1 from listed where month < $month)
