-- One row per known FIDE ID: the newest version of the player's data.
create or replace view player_now as
select *
from player
qualify row_number() over (partition by fide_id order by source_no desc) = 1;
