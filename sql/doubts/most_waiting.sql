-- ask: Is it right that {number:,} of the {every:,} reports that were loaded for this list wait, and are on no list?
-- when: publish
-- remedy: ratinglist quarantine {month}
select reports, first, why, number, every from unrated_reason where status = 'waiting' order by position
