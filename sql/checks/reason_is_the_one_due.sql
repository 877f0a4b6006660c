-- A game of a rated event that does not count has the first reason that applies.
-- In this order: it is in another report, the opponent is unrated, the two are too far apart, the time was too short; a
-- game left counts, for an entry where the player is unrated.
-- For the FIDE system only.
with of_event as (
    select event.event_no, event.event_id, rule_set.expected_score as rule, rule_set.event.time_limit_applies_to as limits
    from event join rule_set on rule_set.name = event.rule_set
    where event.month = $month and event.status = 'rated'
),
uncommon as (
    select event_no, round, fide_id, opponent_id, rating, opponent_rating, reason from side_in_doubt
    union
    -- few rule sets have a gap beyond which a game is not rated
    select event_no, round, fide_id, opponent_id, rating, opponent_rating, reason
    from side_of_month as side
    join (select event_no, rule.gap_not_rated as gap from of_event where rule.gap_not_rated > 0) as limited using (event_no)
    where reason = '' and abs(rating - opponent_rating) >= gap
),
judged as (
    select
        event_id,
        uncommon.*,
        limits,
        coalesce(
            rule.gap_not_rated > 0
            and abs(rating - opponent_rating) >= rule.gap_not_rated
            and greatest(rating, opponent_rating) > rule.gap_needs_player_above,
            false
        ) as is_too_far_apart,
        case
            when opponent_rating is null then 'opponent_unrated'
            when is_too_far_apart then 'rating_gap'
            when rating is null then 'counts_for_entry'
            else ''
        end as reason_due
    from uncommon join of_event using (event_no)
)
select event_id, round, fide_id, opponent_id, rating, opponent_rating, reason, reason_due
from judged
where reason::varchar is distinct from reason_due
    and not coalesce(
        reason = 'same_game'
        or (reason = 'time_limit' and limits = 'game' and reason_due in ('', 'counts_for_entry'))
        or (reason in ('zero_first_event', 'tranche_too_small') and reason_due = 'counts_for_entry'),
        false
    );
