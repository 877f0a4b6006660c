-- A first rating follows from the player's results by the method and the table of the rule set, and it is published
-- unless it is below the floor.
-- For the FIDE system only.
with summed as (
    select
        entry.*,
        list_rule.entry.method as method,
        list_rule.entry.performance_table as table_name,
        list_rule.entry.maximum as maximum,
        list_rule.entry.min_games as min_games,
        list_rule."list".floor as floor,
        case when method = 'two_draws_at_1800' then 2 else 0 end as draws,
        entry.games + draws as counted,
        sums.opponent_rating_sum + draws * 1800 as total,
        (100 * (entry.score_halves + draws) + counted) // (2 * counted) as p_due
    from (select * from entry where month = $month) as entry
    join list_rule using (time_control)
    join (
        select time_control, fide_id, sum(opponent_rating_sum)::bigint as opponent_rating_sum
        from tranche group by time_control, fide_id
    ) as sums using (time_control, fide_id)
),
looked_up as (
    select
        summed.*,
        case
            when method = 'twenty_per_half_point' and score_halves >= games then 20 * (score_halves - games)
            else performance.dp
        end as dp_due,
        -- rounded once, half up
        (2 * (total + dp_due * counted) + counted) // (2 * counted) as uncapped,
        case
            when games >= min_games then case when maximum > 0 then least(uncapped, maximum) else uncapped end
        end as rating_due,
        case
            when rating_due is null then 'too_few_games'
            when rating_due < floor then 'below_floor'
            else ''
        end as reason_due
    from summed
    left join performance
        on performance.table_name = summed.table_name and performance.p_hundredths = summed.p_due
)
select time_control, fide_id, games, score_halves, opponent_average, p_hundredths, p_due, dp, dp_due, computed_rating,
    rating_due, published, reason, reason_due
from looked_up
where p_hundredths <> p_due
    or dp is distinct from dp_due
    or computed_rating is distinct from rating_due
    or reason <> reason_due
    or published <> (reason_due = '');
