-- One row per revision that counts as never published: it was there when its month was withdrawn, and was not made
-- current again since. A revision that a rollback left for an older one is not here.
create or replace temp view withdrawn_revision as
with step as (
    select month, rollback_no, to_revision,
        max(greatest(from_revision, to_revision)) over (partition by month order by rollback_no) as newest_then
    from rolled_back
)
select distinct publication.month, publication.revision
from publication
join step
    on step.month = publication.month
    and step.to_revision = 0
    and publication.revision between 1 and step.newest_then
where not exists (
    select 1 from rolled_back as later
    where later.month = publication.month
        and later.to_revision = publication.revision
        and later.rollback_no > step.rollback_no
);
