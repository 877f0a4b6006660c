-- One row per time control whose list differs from the list before with the changes computed now applied to it. The rows of
-- a list are hashed and summed: where the sums are equal, so are the rows, and no player need be searched.
with rule as (
    select
        time_control,
        list_no,
        development_coefficient.master_from as master_from,
        development_coefficient.junior_below as junior_below,
        "list".delisted_state = 'dropped' as drops_unrated
    from list_rule join earlier using (time_control)
    where is_newest
),
now as (
    select time_control, sum((hash(fide_id, rating, games, games_played, reached_2400, reached_2300) >> 8)::bigint) as digest
    from list_state where month = $month
    group by time_control
),
before as (
    select list_no, sum(digest) as digest, sum(digest) filter (rating is not null) as digest_of_rated
    from (
        select list_no, rating,
            (hash(fide_id, rating, 0, games_played, reached_2400, reached_2300) >> 8)::bigint as digest
        from earlier_list where is_newest
    )
    group by list_no
),
entered as (
    select list_no, fide_id, games from entry join rule using (time_control) where month = $month and published
),
computed as (
    select
        list_no,
        case when rating_before is not null or (is_known_before and not drops_unrated) then
            (hash(fide_id, rating_before, 0, games_played, reached_2400, reached_2300) >> 8)::bigint
        end as old_digest,
        case when new_rating is not null or not drops_unrated then
            (hash(
                fide_id,
                new_rating,
                case when status <> 'entered' or entered.games is not null then player_totals.games else 0 end,
                -- a player who enters has played all the games of the first rating
                games_played + case when status = 'entered' then coalesce(entered.games, 0) else player_totals.games end,
                reached_2400 or coalesce(new_rating >= master_from, false),
                reached_2300 or coalesce(new_rating >= junior_below, false)
            ) >> 8)::bigint
        end as new_digest
    from player_totals join rule using (list_no) left join entered using (list_no, fide_id)
    where status is not null
),
moved as (
    select list_no, sum(old_digest) as old_digest, sum(new_digest) as new_digest from computed group by list_no
),
entered_for_nothing as (
    select distinct list_no
    from entered
    anti join (select list_no, fide_id from player_totals where status = 'entered') as entered_now using (list_no, fide_id)
)
select time_control
from rule
full join now using (time_control)
left join before using (list_no)
left join moved using (list_no)
where coalesce(now.digest, 0) <>
        coalesce(case when drops_unrated then before.digest_of_rated else before.digest end, 0)
        - coalesce(moved.old_digest, 0)
        + coalesce(moved.new_digest, 0)
    or list_no in (from entered_for_nothing);
