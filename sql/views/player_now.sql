-- One row per known FIDE ID: the newest version of the player's data, as corrected.
create or replace temp view player_now as
select *
from player_version anti join player_changed using (fide_id)
union all
select *
from player_version semi join player_changed using (fide_id)
qualify row_number() over (partition by fide_id order by source_no desc) = 1;
