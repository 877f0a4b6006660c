-- stop: The list was calculated with what was undone since.
-- when: publish
-- remedy: ratinglist rate {month}{rules}
select month as list from outdated_list
where month = $month and list_before is null and month not in (select month from current_revision)
