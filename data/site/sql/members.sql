-- The members of clubs, those with the highest ratings first.
select club, page, fide_id, name, federation, title, standard, rapid, blitz
from clubs join person using (fide_id) left join rated using (fide_id)
order by page, greatest(standard, rapid, blitz) desc nulls last, fide_id;
