-- A list has each player once, and each game, change and waiting result is there once.
-- Keys are unique: one row per player on a list, per side of a game, per player's change, per tranche in the pool.
-- Millions of rows are stored in the order of their keys: where each key is greater than the one before, none is there
-- twice, and the rows are not grouped and counted.
with sides_out_of_order as (
    select 1
    from (
        select
            event_no,
            round,
            fide_id,
            lag(event_no) over () as event_before,
            lag(round) over () as round_before,
            lag(fide_id) over () as id_before
        from side_of_month as side
    )
    where event_no <= event_before
        and (event_no < event_before or round < round_before or (round = round_before and fide_id <= id_before))
),
listed_out_of_order as (
    select 1
    from (
        select time_control, fide_id, lag(time_control) over () as control_before, lag(fide_id) over () as id_before
        from list_state where month = $month
    )
    where time_control < control_before or (time_control = control_before and fide_id <= id_before)
),
changed_out_of_order as (
    select 1
    from (
        select time_control, fide_id, lag(time_control) over () as control_before, lag(fide_id) over () as id_before
        from change where month = $month
    )
    where time_control < control_before or (time_control = control_before and fide_id <= id_before)
)
select 'list_state' as table_name, time_control, fide_id::varchar as key, count(*) as rows
from list_state
where month = $month and exists (from listed_out_of_order)
group by time_control, fide_id having count(*) > 1
union all
select 'game', event.time_control, concat_ws(' ', event.event_id, side.round, side.fide_id), count(*)
from side_of_month as side join event_of_month as event using (event_no)
where event.month = $month and exists (from sides_out_of_order)
group by event.time_control, event.event_id, side.round, side.fide_id having count(*) > 1
union all
select 'change', time_control, fide_id::varchar, count(*)
from change
where month = $month and exists (from changed_out_of_order)
group by time_control, fide_id having count(*) > 1
union all
select 'pool', time_control, concat_ws(' ', fide_id, event_id), count(*)
from pool where month = $month group by time_control, fide_id, event_id having count(*) > 1;
