-- ask: Is it right that the list is published on lists that were calculated from what counts no more?
-- when: publish
-- remedy: ratinglist rerate --from {from}
--
-- The list before such a list was rolled back or corrected since, or what it was calculated with was undone. Events may be rated
-- twice, and corrections be missing.
select month as list, list_before as another_list_before, list_before is null as from_what_was_undone,
    min(month) over () as "from"
from outdated_list where month < $month
order by list, another_list_before
