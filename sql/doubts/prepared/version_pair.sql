-- One row per known player whose data the import with the number $source changes: the version that it brings (now), and
-- the one before (was), as corrected.
with version as (
    select * from player_version
    where fide_id in (select fide_id from player where source_no = $source)
        and fide_id in (select fide_id from player where source_no < $source)
)
select version as now, lag(version) over (partition by fide_id order by source_no) as was
from version
qualify source_no = $source
