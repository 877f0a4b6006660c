-- Everybody on the list is registered: a row without name and federation must not be published.
select list_state.time_control, list_state.fide_id
from list_state anti join player using (fide_id)
where list_state.month = $month and list_state.rating is not null;
