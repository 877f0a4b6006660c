-- One row per known FIDE ID: the newest version of the player's data, as corrected. Nearly everybody has one version only.
create or replace view player_now as
with known as not materialized (
    select * from player_as_known(null)
),
several as (
    select fide_id from player group by fide_id having count(*) > 1
)
select *
from known anti join several using (fide_id)
union all
select *
from known semi join several using (fide_id)
qualify row_number() over (partition by fide_id order by source_no desc) = 1;
