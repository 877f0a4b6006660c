-- stop: The list before was calculated again since this list was calculated from it.
-- when: before-publish
select this.month as list, before.month as list_before
from calculation as this
join calculation as before
    on before.is_standing and before.month = (select max(month) from calculation where is_standing and month < $month)
where this.is_newest and this.month = $month and this.before_id <> before.calculation_id
