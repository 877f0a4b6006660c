-- stop: A list before was rolled back, and its figures are still the same: correct what was wrong in it; if it was right,
-- go back to it with ratinglist rollback.
-- when: before-publish
-- remedy: ratinglist rerate --from {list_before}
select rolled_back.month as list_before, 'r' || rolled_back.from_revision as revision, rolled_back.reason
from rolled_back
join publication on publication.month = rolled_back.month and publication.revision = rolled_back.from_revision
join calculation as shown using (calculation_no)
join calculation as standing on standing.is_standing and standing.month = rolled_back.month
where rolled_back.month < $month
    and standing.calculation_id = shown.calculation_id
    -- the newest entry on that revision: "latest" was not set to it again
    and rolled_back.rollback_no = (
        select max(later.rollback_no) from rolled_back as later
        where later.month = rolled_back.month
            and rolled_back.from_revision in (later.from_revision, later.to_revision)
    )
