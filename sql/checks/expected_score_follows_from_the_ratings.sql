-- The difference that counts is the one of the two ratings, cut where the rule set of the event cuts it; and the expected
-- score is what its table says of it.
with of_event as (
    select event.event_no, event.event_id, rule_set.name as rule_set, rule_set.expected_score as rule
    from event join rule_set on rule_set.name = event.rule_set
    where event.month = $month and event.status = 'rated'
),
-- below every cap the difference is used as it is: those need not be looked at
far_apart as (
    select event_no, round, fide_id, opponent_id, rating, opponent_rating, rating - opponent_rating as difference,
        difference_used
    from side_of_month as side
    where change_hundredths is not null
        and (
            difference_used is distinct from rating - opponent_rating
            or abs(rating - opponent_rating) > (select min(rule.cap) from of_event)
        )
),
judged as (
    select
        far_apart.*,
        of_event.event_id,
        greatest(-rule.cap, least(rule.cap, difference)) as capped,
        case rule.cap_applies_to
            when 'every_game' then capped
            when 'players_below' then case when rating < rule.cap_players_below then capped else difference end
            -- of the differences in his favour the largest alone is cut
            when 'best_game_per_event' then case
                when difference > 0 and row_number() over (
                    partition by event_no, fide_id order by difference desc, round, opponent_id
                ) > 1 then difference
                else capped
            end
        end as difference_due
    from far_apart join of_event using (event_no)
),
numbered as (
    select event_no, rule_set, rule.table as table_name, (dense_rank() over (order by rule_set))::utinyint as rule_no
    from of_event
),
used as (
    select distinct rule_no, difference_used, expected_hundredths
    from side_of_month as side join (select event_no, rule_no from numbered) as by_number using (event_no)
    where change_hundredths is not null
),
looked_up as (
    select rule_set, table_name, difference_used, expected_hundredths
    from used join (select distinct rule_no, rule_set, table_name from numbered) as named using (rule_no)
),
ends as (
    select table_name, max(difference)::integer as last_difference from expected_score group by table_name
),
wrong as (
    select
        looked_up.*,
        case when difference_used >= 0 then higher_hundredths else 100 - higher_hundredths end as expected_due
    from looked_up
    left join ends using (table_name)
    left join expected_score as one
        on one.table_name = looked_up.table_name and one.difference = least(abs(difference_used), last_difference)
    where expected_hundredths is distinct from expected_due
)
select event_id, round, fide_id, rating, opponent_rating, difference_used, difference_due, null as expected_hundredths,
    null as expected_due
from judged
where difference_used is distinct from difference_due
union all
select rule_set, null, null, null, null, difference_used, null, expected_hundredths, expected_due
from wrong;
