-- One row per player line of an accepted report whose FIDE ID is another one now, by a correction or a merge, and per
-- line of a player who is in the report twice by now. person_id: the player; is_twice: that player has another line.
-- Such a line keeps its own FIDE ID: of two lines that a merge makes one player's, one has a wrong ID.
with reached as (
    select report_no from corrected_player_now
    union
    select report_no from report_player semi join current_identity using (fide_id)
),
line as (
    select report_no, report_player.fide_id as raw_id, coalesce(new_id, raw_id) as own_id,
        coalesce(now_id, own_id) as person_id,
        count(*) over (partition by report_no, coalesce(now_id, new_id, report_player.fide_id)) > 1 as is_twice
    from report_player semi join reached using (report_no)
    left join corrected_player_now as somebody_else using (report_no, fide_id)
    left join current_identity on current_identity.fide_id = coalesce(new_id, report_player.fide_id)
)
select report_no, raw_id, case when is_twice then own_id else person_id end as fide_id, person_id, is_twice
from line
where is_twice or person_id <> raw_id
