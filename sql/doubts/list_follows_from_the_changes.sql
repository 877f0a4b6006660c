-- stop: The list is the list before with the changes: who was rated has the new rating, who entered is on it, who
-- left is not, and every other player keeps rating, games played and the highest rating reached.
-- when: publish
--
-- A list with a one-time step moves all players: their ratings are not compared. The state for K is FIDE's alone. A
-- standard rating may stand in for a missing one in rapid and blitz. A rule set may drop the state of who has no rating.
with old as (
    select * from earlier_list where is_newest and time_control in (select time_control from list_rule)
),
computed as (
    select change.*, case when status = 'entered' then entry.games else change.games end as games_counted
    from (select * from change where month = $month) as change
    left join (select * from entry where month = $month and published) as entry using (time_control, fide_id)
),
compared as (
    select
        time_control,
        fide_id,
        status,
        old.rating as rating_before,
        old_rating,
        computed.change,
        new_rating,
        case when status is null then old.rating else new_rating end as rating_due,
        new.rating,
        new.games,
        coalesce(computed.games, 0) as games_due,
        new.games_played,
        coalesce(old.games_played, 0) + coalesce(games_counted, 0) as games_played_due,
        new.reached_2400 as is_2400,
        coalesce(old.reached_2400, false) or coalesce(new.rating >= development_coefficient.master_from, false)
            as is_2400_due,
        new.reached_2300 as is_2300,
        coalesce(old.reached_2300, false) or coalesce(new.rating >= development_coefficient.junior_below, false)
            as is_2300_due,
        system,
        "list".floor as floor,
        "list".delisted_state = 'dropped' as is_dropped
    from old
    full join (select * from list_state where month = $month) as new using (time_control, fide_id)
    full join computed using (time_control, fide_id)
    join list_rule using (time_control)
)
select * exclude (system, is_dropped)
from compared
where (
        (select one_time_step from calculation where is_newest and month = $month) = ''
        and (
            rating is distinct from rating_due
            or (status is not null and status <> 'entered' and new_rating <> old_rating + change)
        )
    )
    -- A first rating lapses at once where FIDE rates the player by then.
    or (status = 'entered') <> (status <> 'lapsed' and old_rating is null)
    or (status in ('rated', 'entered')) <> (new_rating is not null)
    or (status is not null and old_rating <> coalesce(rating_before, old_rating))
    or (status is not null and old_rating is null and rating_before is not null)
    or (old_rating is not null and rating_before is null and time_control = 'standard')
    or (
        -- Other systems have no floor.
        system = 'fide'
        and (
            rating < floor
            or (
                (games, games_played, is_2400, is_2300) <> (games_due, games_played_due, is_2400_due, is_2300_due)
                and not (is_dropped and games is null and rating_due is null)
            )
        )
    )
