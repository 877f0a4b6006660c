-- The players whom the corrections of a month moved, by revision: the first of each, and how many there are.
with numbered as (
    select
        *, row_number() over (partition by revision order by control_number(time_control), fide_id) as position,
        count(*) over (partition by revision) as players
    from diff where month = getvariable('month')
)
select
    revision, players, time_control, fide_id, name, federation, old_rating, new_rating,
    new_rating - old_rating as change, cause, because
from numbered where position <= 200 order by revision, position;
