-- Who is at 2000 or more for the first time on the lists of this site?
with before as (
    select
        time_control,
        fide_id,
        max(rating) as highest
    from lists
    where list_month < newest_list()
    group by time_control, fide_id
)

select fide_id, lists.name, lists.federation, time_control, before.highest as highest_before, lists.rating
from lists
inner join before using (time_control, fide_id)
where lists.list_month = newest_list() and lists.rating >= 2000 and before.highest < 2000
order by lists.rating desc, fide_id asc
limit 20;
