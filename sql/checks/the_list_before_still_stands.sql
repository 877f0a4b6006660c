-- The list before was not calculated anew since this one was calculated from it.
select this.month, this.before_id, before.month as list_before, before.calculation_id
from calculation as this
join calculation as before
    on before.month = (select max(month) from calculation where month < $month)
where this.month = $month and this.before_id <> before.calculation_id;
