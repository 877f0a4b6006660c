-- One row per player and time control on a list, with the state the development coefficient depends on.
-- source_no: the import it came from; null where it was calculated here.
create or replace temp view list_state as
select month, time_control, fide_id, rating, games, k, games_played, reached_2400, reached_2300, last_played, inferred,
    null::integer as source_no
from calculated_state
union all by name
select * from imported_list;
