-- Who gained most in the last twelve months, on the same time control?
with of_both as (
    select
        now.time_control,
        now.fide_id,
        now.name,
        now.federation,
        before.rating as old_rating,
        now.rating,
        now.rating - before.rating as change
    from lists as now
    inner join lists as before using (time_control, fide_id)
    where now.list_month = newest_list() and before.list_month = '{year_ago}'
)

select * from of_both
order by change desc, fide_id asc
limit 20;
