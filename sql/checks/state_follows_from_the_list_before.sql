-- What the next K is judged on follows from the list before: games counted go on, 2400 and 2300 once reached stay reached;
-- and the K shown on the list is the one that this state gives, and the games shown are those of the period.
with rule as (
    select
        time_control,
        unnest(development_coefficient),
        development_coefficient.junior_until = 'end_of_year_of_eighteenth_birthday' as is_junior_by_year
    from list_rule
),
old as (
    select time_control, fide_id, games_played, reached_2400, reached_2300 from earlier_list where is_newest
),
counted as (
    select time_control, fide_id, games, games as games_of_period from change
    where month = $month and status <> 'entered'
    union all
    -- who enters brings all the games that he entered with
    select time_control, fide_id, entry.games, entered.games
    from (select * from entry where month = $month and published) as entry
    left join (select * from change where month = $month and status = 'entered') as entered using (time_control, fide_id)
),
state as (
    select
        list_state.time_control,
        list_state.fide_id,
        list_state.games,
        coalesce(counted.games_of_period, 0) as games_due,
        list_state.games_played,
        coalesce(old.games_played, 0) + coalesce(counted.games, 0) as games_played_due,
        list_state.reached_2400,
        coalesce(old.reached_2400, false) or coalesce(list_state.rating >= master_from, false) as was_2400,
        list_state.reached_2300,
        coalesce(old.reached_2300, false) or coalesce(list_state.rating >= junior_below, false) as was_2300,
        coalesce(
            case
                when is_junior_by_year then left($month, 4)::integer - birth_year <= 18
                else replace($month, '-', '')::integer * 100 + 1 < (birth_year + 18) * 10000 + birthday
            end,
            false
        ) as is_junior,
        list_state.k,
        case
            when rating is null then null
            when fixed > 0 then fixed
            when was_2400 then master
            when is_junior and not was_2300 then junior
            when games_played_due < new_until_games then new
            else normal
        end as k_due
    from list_state
    join rule using (time_control)
    left join old using (time_control, fide_id)
    left join counted using (time_control, fide_id)
    left join born using (fide_id)
    where list_state.month = $month
)
select *
from state
where games <> games_due
    or games_played <> games_played_due
    or reached_2400 <> was_2400
    or reached_2300 <> was_2300
    or k is distinct from k_due;
