-- One row per month whose current list was withdrawn by a rollback of its first revision, and that has no current list:
-- the newest such rollback.
create or replace temp view withdrawn_month as
select rolled_back.month, rollback_no, from_revision as revision, reason, rolled_back_on
from rolled_back anti join current_revision using (month)
where to_revision = 0
qualify row_number() over (partition by rolled_back.month order by rollback_no desc) = 1;
