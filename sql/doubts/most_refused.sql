-- ask: Is it right that {number:,} of the {every:,} reports that were loaded for this list are refused?
-- when: publish
-- remedy: ratinglist quarantine {month}
select reports, first, why, number, every from unrated_reason where status = 'refused' order by position
