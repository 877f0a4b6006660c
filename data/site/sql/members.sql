-- The members of clubs, those with the highest ratings first.
with rated as (
    select
        fide_id, any_value(rating) filter (time_control = 'standard') as standard,
        any_value(rating) filter (time_control = 'rapid') as rapid,
        any_value(rating) filter (time_control = 'blitz') as blitz
    from lists where month = getvariable('month') group by fide_id
)
select club, page, fide_id, name, federation, title, standard, rapid, blitz
from clubs join person using (fide_id) left join rated using (fide_id)
order by page, greatest(standard, rapid, blitz) desc nulls last, fide_id;
