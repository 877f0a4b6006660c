-- One row per player and time control on a list, as the first revision of its month showed it; as it is where the
-- month was never published. An imported list stays as it was imported.
create or replace temp view first_published_state as
select month, time_control, fide_id, rating, games, k, games_played, reached_2400, reached_2300, last_played, inferred,
    null::integer as source_no
from first_calculated_state
union all by name
select * from imported_list;
