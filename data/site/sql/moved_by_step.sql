-- Whom a step moved, those with the highest ratings first.
from moved where month = getvariable('month') and step = getvariable('step')
order by greatest(old_rating, new_rating) desc, fide_id, time_control;
