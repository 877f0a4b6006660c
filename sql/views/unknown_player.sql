-- One row per player line of an accepted report whose FIDE ID nobody has registered.
create or replace view unknown_player as
with known as (
    select distinct fide_id from player
)
select
    report_player.report_id,
    report_player.line,
    report_player.fide_id,
    report_player.name
from report_player
anti join known using (fide_id);
