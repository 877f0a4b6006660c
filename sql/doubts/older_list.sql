-- ask: Is this the right file for the list of {month}? {why}
-- when: import-list
--
-- A list is older where many players of the newest list are not in it, and three times as many as are new; where hardly a
-- rating of it differs; and where it has the ratings of an earlier list that have changed since. Of a list imported
-- again, most ratings are those of before.
with file as (
    select time_control, fide_id, rating from imported_list where month = $month and source_no = $source
),
compared as (
    select coalesce(before.time_control, file.time_control) as time_control,
        before.month, before.fide_id as known, before.rating as rating_before, file.fide_id as named, file.rating
    from file full join newest_before as before using (time_control, fide_id)
),
counted as (
    select time_control, max(month) as compared_with,
        count(*) filter (rating is not null and rating_before is not null)::integer as rated_in_both,
        count(*) filter (rating <> rating_before)::integer as other_ratings,
        count(*) filter (named is null)::integer as missing,
        count(*) filter (known is null and rating is not null)::integer as new
    from compared semi join file using (time_control)
    group by time_control
    having max(month) is not null
),
earlier_ratings as (
    select time_control, before.month as compared_with, earlier.month as has_ratings_of,
        count(*) filter (file.rating = earlier.rating)::integer as as_then,
        count(*) filter (file.rating = before.rating)::integer as as_now
    from file
    join newest_before as before using (time_control, fide_id)
    join (from list_state semi join standing_list using (time_control, month)) as earlier using (time_control, fide_id)
    where earlier.month < before.month and earlier.rating <> before.rating
    group by time_control, before.month, earlier.month
    having as_then >= 5 and as_then > 3 * as_now
    order by as_then desc, has_ratings_of desc
    limit 1
),
judged as (
    select counted.*,
        case
            when missing >= 5 and 100 * missing > rated_in_both + missing and missing > 3 * new then format(
                'It seems older than the {} list of {}: {:,} players of that list are not in the file, which has {:,} new.',
                time_control, compared_with, missing, new
            )
            when rated_in_both < 50 then null
            when compared_with = $month and 100 * other_ratings > 20 * rated_in_both then format(
                '{:,} of {:,} ratings are not those of the {} list of {} that was imported before.',
                other_ratings, rated_in_both, time_control, compared_with
            )
            when compared_with < $month and 1000 * other_ratings < rated_in_both then format(
                'It is barely different from the {} list of {}: {:,} of {:,} ratings differ.',
                time_control, compared_with, other_ratings, rated_in_both
            )
        end as why
    from counted
)
select * from judged where why is not null
union all by name
select *,
    format(
        'It has {:,} ratings as on the {} list of {} and {:,} as on that of {}, of the players whose ratings on these two '
        || 'differ.',
        as_then, time_control, has_ratings_of, as_now, compared_with
    ) as why
from earlier_ratings
order by has_ratings_of nulls first, time_control
