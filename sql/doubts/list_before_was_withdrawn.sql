-- stop: The list was calculated from one that was withdrawn.
-- when: before-publish
select distinct left(digest, 7) as list_before
from calculation_input join withdrawn_month on withdrawn_month.month = left(digest, 7)
where calculation_input.month = $month
    and kind = 'lists'
    and withdrawn_month.month not in (select month from calculation where is_standing)
