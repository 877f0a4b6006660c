-- ask: Why does the list have at least {fewer_players_percent} % and at least {fewer_players} players fewer than the
-- one before?
-- when: publish
with before as (
    select list_no, count(rating)::integer as listed_before from earlier_list where is_newest group by list_no
),
now as (
    select time_control, count(rating)::integer as listed from list_state where month = $month group by time_control
)
select time_control, month as list_before, listed_before, coalesce(listed, 0) as listed,
    listed_before - coalesce(listed, 0) as fewer
from before join earlier using (list_no) left join now using (time_control)
where fewer >= $fewer_players and fewer > 0 and 100 * fewer >= $fewer_players_percent::hugeint * listed_before
    and time_control in (select time_control from list_rule)
order by time_control
