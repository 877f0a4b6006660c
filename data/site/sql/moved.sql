-- Keep whom a step from one revision of a month to another moved.
insert into moved
with both_lists as (
    select
        time_control, fide_id, coalesce(after.name, before.name) as name,
        coalesce(after.federation, before.federation) as federation, before.rating as old_rating,
        after.rating as new_rating
    from lists_before as before full join lists_after as after using (time_control, fide_id)
)
select
    getvariable('month'), getvariable('step'), getvariable('from_revision'), getvariable('to_revision'),
    getvariable('day'), getvariable('reason'), *, new_rating - old_rating
from both_lists where old_rating is distinct from new_rating;
