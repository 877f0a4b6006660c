-- The players of the list before, plus those who entered, minus those who were delisted, are the players of the new
-- list.
-- A player with a standard rating that stood in was on no list before; they are counted as from_standard.
-- For the FIDE system only.
with listed_before as (
    select time_control, list_no, listed_before
    from (select list_no, count(rating) as listed_before from earlier_list where is_newest group by list_no) as counted
    join earlier using (list_no)
),
listed_now as (
    select time_control, coalesce(sum(players) filter (rating is not null), 0)::bigint as listed
    from listed_as group by time_control
),
came_and_went as (
    select
        list_no,
        count(*) filter (status = 'entered') as entered,
        -- a player who fell below the floor from a standard rating that stood in was on no list before
        count(*) filter (status = 'delisted' and rating_before is not null) as delisted,
        count(*) filter (status = 'rated' and rating_before is null) as from_standard
    from player_totals
    group by list_no
),
counts as (
    select
        listed_now.time_control,
        listed_before,
        coalesce(entered, 0) as entered,
        coalesce(delisted, 0) as delisted,
        coalesce(from_standard, 0) as from_standard,
        listed
    from listed_now
    join listed_before using (time_control)
    left join came_and_went using (list_no)
)
select *
from counts
where listed <> listed_before + entered + from_standard - delisted;
