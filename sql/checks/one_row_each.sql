-- A list has each player once, and each game, change and waiting result is there once.
-- Keys are unique: one row per player on a list, per side of a game, per player's change, per tranche in the pool.
-- A game of an event that is, by its digest, as the report has it is there once; of millions of rows in a list, only those
-- that a count of bits leaves in doubt are grouped.
with
-- Of 64 FIDE IDs in a row, each that occurs sets one bit: fewer bits than rows means that one occurs twice.
listed_twice as (
    select time_control
    from list_state
    where month = $month
    group by time_control, fide_id >> 6
    having count(*) > bit_count(bit_or(1::ubigint << (fide_id & 63)::ubigint))
),
changed_twice as (
    select time_control
    from change
    where month = $month
    group by time_control, fide_id >> 6
    having count(*) > bit_count(bit_or(1::ubigint << (fide_id & 63)::ubigint))
)
select 'list_state' as table_name, time_control, fide_id::varchar as key, count(*) as rows
from list_state
where month = $month and exists (from listed_twice)
group by time_control, fide_id having count(*) > 1
union all
select 'game', event.time_control, concat_ws(' ', event.event_id, side.round, side.fide_id), count(*)
from (from side_of_month semi join event_unlike_report using (event_no)) as side
join event_of_month as event using (event_no)
group by event.time_control, event.event_id, side.round, side.fide_id having count(*) > 1
union all
select 'change', time_control, fide_id::varchar, count(*)
from change
where month = $month and exists (from changed_twice)
group by time_control, fide_id having count(*) > 1
union all
select 'pool', time_control, concat_ws(' ', fide_id, event_id), count(*)
from pool where month = $month group by time_control, fide_id, event_id having count(*) > 1;
