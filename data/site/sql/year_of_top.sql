-- The highest active players of the newest list, with their ratings on the last lists.
with top as (
    select *, rank() over (order by rating desc) as place from listed
    where part = 'all' and is_active(flag) order by position limit 10
),
year as (
    select fide_id, list({month: month, rating: rating} order by month) as year
    from lists where time_control = getvariable('control') and fide_id in (select fide_id from top) group by fide_id
)
select top.*, year from top left join year using (fide_id) order by position;
