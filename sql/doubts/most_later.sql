-- ask: Is it right that {number:,} of the {every:,} reports that were loaded for this list arrived after it closed, though
-- their events had ended, so that a later list rates them?
-- when: publish
--
-- The day of arrival is received_on in manifest.csv, or --received; else the day of loading. A single report is named in
-- the summary of the run.
with counted as (
    select count(*) filter (is_later) as number, count(*) as every from delivered
)
select strftime(received_on, '%Y-%m-%d') as received_on, count(*)::integer as reports, min(file_name) as first, number, every
from delivered cross join counted
where is_later and number >= 2 and 2 * number > every
group by received_on, number, every
order by received_on
