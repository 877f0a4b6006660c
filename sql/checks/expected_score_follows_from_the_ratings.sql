-- The expected score of a game is the one in the table of the rule set for the difference of the two ratings, cut where
-- the rule set cuts it.
-- For the FIDE system only.
with of_event as (
    select event.event_no, event.event_id, rule_set.name as rule_set, rule_set.expected_score as rule
    from event join rule_set on rule_set.name = event.rule_set
    where event.month = $month and event.status = 'rated'
),
-- millions of sides have few distinct differences, and nearly always one expected score for each
used as materialized (
    select
        difference_used,
        min(expected_hundredths) as least_expected,
        max(expected_hundredths) as largest_expected,
        count(expected_hundredths) < count(*) as lacks_one
    from side_of_month as side
    where change_hundredths is not null
    group by difference_used
),
beyond_cap as (
    select difference_used from used where abs(difference_used) > (select min(rule.cap) from of_event)
),
-- a difference that is used uncut and is not beyond any cap needs no check
far_apart as (
    select event_no, round, fide_id, opponent_id, rating, opponent_rating, rating - opponent_rating as difference,
        difference_used
    from side_in_doubt
    where change_hundredths is not null and difference_used is distinct from rating - opponent_rating
    union
    select event_no, round, fide_id, opponent_id, rating, opponent_rating, rating - opponent_rating, difference_used
    from side_of_month as side semi join beyond_cap using (difference_used)
    where change_hundredths is not null
),
judged as (
    select
        far_apart.*,
        of_event.event_id,
        greatest(-rule.cap, least(rule.cap, difference)) as capped,
        case rule.cap_applies_to
            when 'every_game' then capped
            when 'players_below' then case when rating < rule.cap_players_below then capped else difference end
            -- of the differences in the player's favour only the largest is cut
            when 'best_game_per_event' then case
                when difference > 0 and row_number() over (
                    partition by event_no, fide_id order by difference desc, round, opponent_id
                ) > 1 then difference
                else capped
            end
        end as difference_due
    from far_apart join of_event using (event_no)
),
ends as (
    select table_name, max(difference)::integer as last_difference from expected_score group by table_name
),
due as materialized (
    select
        named.table_name,
        used.*,
        case when difference_used >= 0 then higher_hundredths else 100 - higher_hundredths end as expected_due
    from used
    cross join (select distinct rule.table as table_name from of_event) as named
    left join ends using (table_name)
    left join expected_score as one
        on one.table_name = named.table_name and one.difference = least(abs(difference_used), last_difference)
),
suspected as (
    select distinct difference_used
    from due
    where lacks_one or least_expected is distinct from expected_due or largest_expected is distinct from expected_due
),
wrong as (
    select distinct rule_set, side.difference_used, expected_hundredths, expected_due
    from (
        select event_no, side.difference_used, expected_hundredths
        from side_of_month as side semi join suspected on suspected.difference_used is not distinct from side.difference_used
        where change_hundredths is not null
    ) as side
    join of_event using (event_no)
    join due on due.table_name = rule.table and due.difference_used is not distinct from side.difference_used
    where expected_hundredths is distinct from expected_due
)
select event_id, round, fide_id, rating, opponent_rating, difference_used, difference_due, null as expected_hundredths,
    null as expected_due
from judged
where difference_used is distinct from difference_due
union all
select rule_set, null, null, null, null, difference_used, null, expected_hundredths, expected_due
from wrong;
