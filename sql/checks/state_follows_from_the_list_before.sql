-- The games played and the highest rating reached follow from the list before.
-- 2400 and 2300 once reached stay reached, and the games shown on the list are those of the period. Where a time
-- control is not in the prepared table unexplained, the state of its players is that of the list before.
-- For the FIDE system only.
with judged as not materialized (
    select
        time_control,
        fide_id,
        games,
        games_played,
        reached_2400,
        reached_2300,
        coalesce(rating >= list_rule.development_coefficient.master_from, false) as is_2400,
        coalesce(rating >= list_rule.development_coefficient.junior_below, false) as is_2300
    from (select * from list_state where month = $month) as list_state
    join list_rule using (time_control)
),
-- where a list is not in unexplained, the state of all players is right
suspected as (
    select time_control, fide_id
    from judged
    where (is_2400 and not reached_2400) or (is_2300 and not reached_2300)
    union all
    select time_control, fide_id
    from list_state semi join unexplained using (time_control)
    where month = $month
),
old as (
    select time_control, fide_id, games_played, reached_2400, reached_2300
    from (select list_no, time_control from earlier where is_newest) as newest
    join earlier_list using (list_no)
    semi join suspected using (time_control, fide_id)
),
counted as (
    select time_control, fide_id, games, games as games_of_period from change
    where month = $month and status <> 'entered'
    union all
    -- a player who enters has played all the games of the first rating
    select time_control, fide_id, entry.games, entered.games
    from (select * from entry where month = $month and published) as entry
    left join (select * from change where month = $month and status = 'entered') as entered using (time_control, fide_id)
),
state as (
    select
        judged.time_control,
        judged.fide_id,
        judged.games,
        coalesce(counted.games_of_period, 0) as games_due,
        judged.games_played,
        coalesce(old.games_played, 0) + coalesce(counted.games, 0) as games_played_due,
        judged.reached_2400,
        coalesce(old.reached_2400, false) or is_2400 as was_2400,
        judged.reached_2300,
        coalesce(old.reached_2300, false) or is_2300 as was_2300
    from (select * from judged semi join suspected using (time_control, fide_id)) as judged
    left join old using (time_control, fide_id)
    left join counted using (time_control, fide_id)
)
select *
from state
where games <> games_due
    or games_played <> games_played_due
    or reached_2400 <> was_2400
    or reached_2300 <> was_2300;
