-- Those who gained and lost most in a month, its first ratings, and those who left the list.
with named as (
    from changes left join people using (fide_id) where month = getvariable('month')
),
ranked as (
    select *, 'gained' as part, row_number() over (partition by time_control order by change desc, fide_id) as position
    from named where status <> 'entered' and games > 0 and change > 0
    union all
    select *, 'lost', row_number() over (partition by time_control order by change, fide_id)
    from named where status <> 'entered' and games > 0 and change < 0
    union all
    select *, 'entered', row_number() over (partition by time_control order by new_rating desc, fide_id)
    from named where status = 'entered'
    union all
    select *, 'removed', row_number() over (partition by time_control order by old_rating desc, fide_id)
    from named where status = 'delisted'
)
select
    part, time_control, fide_id, name, federation, title, games, k, old_rating, change, new_rating,
    coalesce(new_rating, old_rating) as rating,
    max(abs(change)) over (partition by part, time_control) as most
from ranked where position <= case when part in ('gained', 'lost') then 20 else 100 end
order by part, time_control, position;
