-- stop: The list before was calculated again since this list was calculated from it.
-- when: before-publish
select this.month as list, before.month as list_before
from calculation as this
join standing_calculation as before
    on before.month = (select max(month) from standing_calculation where month < $month)
where this.month = $month and this.before_id <> before.calculation_id
