-- ask: Is it right that the list is calculated by another family of rules than the list before?
-- when: publish
--
-- An imported list has no family. A list of another system than the one before is refused before it is calculated.
with before as (
    select month, family from calculation where is_standing and month < $month
    union all
    select distinct month, null from imported_list where month < $month
)
select before.month as list_before, before.family as family_before, calculation.family
from calculation
join (select * from before order by month desc, family nulls last limit 1) as before on before.family <> calculation.family
where is_newest and calculation.month = $month
