-- Keys identify: one row per player on a list, per side of a game, per player's change, per tranche in the pool.
select 'list_state' as table_name, time_control, fide_id::varchar as key, count(*) as rows
from list_state where month = $month group by time_control, fide_id having count(*) > 1
union all
select 'game', time_control, concat_ws(' ', event_id, round, fide_id), count(*)
from game where month = $month group by time_control, event_id, round, fide_id having count(*) > 1
union all
select 'change', time_control, fide_id::varchar, count(*)
from change where month = $month group by time_control, fide_id having count(*) > 1
union all
select 'pool', time_control, concat_ws(' ', fide_id, event_id), count(*)
from pool where month = $month group by time_control, fide_id, event_id having count(*) > 1;
