-- One row per system and list: inflation, stability, and how the list orders the players next to the office's list.
-- The players from 35 to 45 years are a gauge of inflation: their strength hardly changes.
with months as (
    select system, list_month,
        lag(list_month) over (partition by system order by list_month) as month_before,
        strftime(strptime(list_month || '-01', '%Y-%m-%d') - interval 12 month, '%Y-%m') as year_before,
        min(list_month) over (partition by system) as first_month,
        count(*) over (partition by system) as lists
    from (select distinct system, list_month from replayed_month)
),
seen as (
    select replayed_list.*, month_before, year_before,
        count(*) over (partition by system, fide_id) = lists as is_on_every_list,
        is_on_every_list and left(first_month, 4)::integer - birth_year between 35 and 45 as is_in_cohort,
        row_number() over (partition by system, list_month order by rating desc, fide_id) <= 100 as is_at_the_top
    from replayed_list join months using (system, list_month) left join (select fide_id, birth_year from known) as birth using (fide_id)
),
compared as (
    select this.*, before.rating as rating_before,
        this.rating - before.rating as change,
        before.rating - earlier.rating as change_before,
        this.month_before is not null and before.rating is null as has_entered
    from seen as this
    left join seen as before
        on before.system = this.system and before.list_month = this.month_before and before.fide_id = this.fide_id
    left join seen as earlier
        on earlier.system = this.system and earlier.list_month = before.month_before and earlier.fide_id = this.fide_id
),
moved as (
    select system, list_month,
        count(*) as players,
        mean_hundredths(sum(rating), players) as mean_hundredths,
        count(*) filter (is_on_every_list) as same_players,
        mean_hundredths(sum(rating) filter (is_on_every_list), same_players) as same_mean_hundredths,
        count(*) filter (is_at_the_top) as top_players,
        mean_hundredths(sum(rating) filter (is_at_the_top), top_players) as top_mean_hundredths,
        count(*) filter (is_in_cohort) as cohort_players,
        mean_hundredths(sum(rating) filter (is_in_cohort), cohort_players) as cohort_mean_hundredths,
        count(*) filter (has_entered) as entered,
        mean_hundredths(sum(rating) filter (has_entered), entered) as entered_mean_hundredths,
        count(*) filter (games >= 10 and change is not null) as busy_players,
        mean_hundredths(sum(abs(change)) filter (games >= 10), busy_players) as busy_change_hundredths,
        count(*) filter (change * change_before <> 0) as changed_twice,
        count(*) filter (change * change_before < 0) as reversals
    from compared
    group by all
),
seen_again as (
    select this.system, this.list_month,
        count(*) as entered_12_before,
        mean_hundredths(sum(entrance.rating), count(*)) as mean_at_entry_hundredths,
        mean_hundredths(sum(this.rating), count(*)) as mean_now_hundredths
    from seen as this join compared as entrance
        on entrance.system = this.system and entrance.list_month = this.year_before and entrance.fide_id = this.fide_id
    where entrance.has_entered
    group by all
),
listed_twice as (
    select system, list_month, replayed_list.rating as own, official.rating as other,
        -- Twice the mean rank of equal ratings, less the mean of all ranks.
        2 * rank() over by_own + count(*) over equal_own - count(*) over every - 2 as own_rank,
        2 * rank() over by_other + count(*) over equal_other - count(*) over every - 2 as other_rank
    from replayed_list join official using (list_month, fide_id)
    window every as (partition by system, list_month),
        by_own as (partition by system, list_month order by replayed_list.rating),
        by_other as (partition by system, list_month order by official.rating),
        equal_own as (partition by system, list_month, replayed_list.rating),
        equal_other as (partition by system, list_month, official.rating)
),
official_lists as (
    select system, list_month,
        count(*) as official_players,
        mean_hundredths(sum(own - other), count(*)) as official_difference_hundredths,
        sum(own_rank::hugeint * own_rank)::double as own_variance,
        sum(other_rank::hugeint * other_rank)::double as other_variance,
        sum(own_rank::hugeint * other_rank)::double as covariance,
        if(own_variance * other_variance > 0, round(1e6 * (covariance / sqrt(own_variance) / sqrt(other_variance))), null)
            as rank_correlation_millionths
    from listed_twice
    group by all
)
select months.system, months.list_month,
    coalesce(players, 0) as players, mean_hundredths,
    coalesce(same_players, 0) as same_players, same_mean_hundredths,
    coalesce(top_players, 0) as top_players, top_mean_hundredths,
    coalesce(cohort_players, 0) as cohort_players, cohort_mean_hundredths,
    if(month_before is null, null, coalesce(entered, 0)) as entered, entered_mean_hundredths,
    if(year_before > first_month, coalesce(entered_12_before, 0), null) as entered_12_before,
    mean_at_entry_hundredths, mean_now_hundredths,
    if(month_before is null, null, coalesce(busy_players, 0)) as busy_players, busy_change_hundredths,
    if(month_before is null or month_before = first_month, null, coalesce(changed_twice, 0)) as changed_twice,
    if(month_before is null or month_before = first_month, null, coalesce(reversals, 0)) as reversals,
    official_players, official_difference_hundredths, rank_correlation_millionths
from months
left join moved using (system, list_month)
left join seen_again using (system, list_month)
left join official_lists using (system, list_month)
order by system, list_month
