-- What the next K is judged on follows from the list before: games counted go on, 2400 and 2300 once reached stay reached;
-- and the K shown on the list is the one that this state gives, and the games shown are those of the period.
with rule as (
    select
        time_control,
        unnest(development_coefficient),
        development_coefficient.junior_until = 'end_of_year_of_eighteenth_birthday' as is_junior_by_year,
        "list".delisted_state = 'dropped' as drops_unrated
    from list_rule
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
-- The rows of the list, hashed and summed, are those of the list before, the ones of whom something was reckoned giving
-- way to what is due to them: where the sums agree, nobody's state need be looked up.
states as (
    select time_control, 1 as times, rating, hash(fide_id, games, games_played, reached_2400, reached_2300) as digest
    from list_state where month = $month
    union all
    select time_control, -1, rating, hash(fide_id, 0, games_played, reached_2400, reached_2300)
    from earlier_list where is_newest
    union all
    select time_control, 1, rating_before, hash(fide_id, 0, games_played, reached_2400, reached_2300)
    from reckoned where status is not null and is_known_before
    union all
    select
        time_control,
        -1,
        new_rating,
        hash(
            fide_id,
            case when status <> 'entered' or entry.games is not null then reckoned.games else 0 end,
            reckoned.games_played + case when status = 'entered' then coalesce(entry.games, 0) else reckoned.games end,
            reached_2400 or coalesce(new_rating >= master_from, false),
            reached_2300 or coalesce(new_rating >= junior_below, false)
        )
    from (select * from reckoned where status is not null) as reckoned
    join rule using (time_control)
    left join (select * from entry where month = $month and published) as entry using (time_control, fide_id)
    union all
    select time_control, 1, 0, hash(fide_id)
    from (select * from entry where month = $month and published) as entry
    anti join (select * from reckoned where status = 'entered') as entered using (time_control, fide_id)
),
summed as (
    select
        time_control,
        sum(times * (digest >> 8)::bigint) as digest,
        sum(times * (digest >> 8)::bigint) filter (rating is not null) as digest_of_rated
    from states group by time_control
),
unequal as (
    select time_control
    from summed join rule using (time_control)
    where case when drops_unrated then digest_of_rated else digest end <> 0
),
-- and of most, K is the one that their own state gives
suspected as (
    select time_control, fide_id
    from (select * from list_state where month = $month) as list_state
    join rule using (time_control)
    left join young using (fide_id)
    where (rating >= master_from and not reached_2400)
        or (rating >= junior_below and not reached_2300)
        or k is distinct from case
            when rating is null then null
            when fixed > 0 then fixed
            when reached_2400 then master
            when not reached_2300 and case
                when is_junior_by_year then left($month, 4)::integer - birth_year <= 18
                else replace($month, '-', '')::integer * 100 + 1 < (birth_year + 18) * 10000 + birthday
            end then junior
            when games_played < new_until_games then new
            else normal
        end
    union all
    select time_control, fide_id
    from list_state semi join unequal using (time_control)
    where month = $month
),
old as (
    select time_control, fide_id, games_played, reached_2400, reached_2300
    from earlier_list semi join suspected using (time_control, fide_id)
    where is_newest
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
    from (select * from list_state semi join suspected using (time_control, fide_id) where month = $month) as list_state
    join rule using (time_control)
    left join old using (time_control, fide_id)
    left join counted using (time_control, fide_id)
    left join young using (fide_id)
)
select *
from state
where games <> games_due
    or games_played <> games_played_due
    or reached_2400 <> was_2400
    or reached_2300 <> was_2300
    or k is distinct from k_due;
