-- The corrections behind anything that differs: a game or an event, whether or not it moves a rating, or a player.
with other as (
    (from before_event except from after_event) union all (from after_event except from before_event)
)
select correction_no from reached
union
select correction_no from cause where correction_no is not null
union
select touched.correction_no
from touched join other on touched.event_id = code_of(other.event_id) and touched.action <> 'change_result'
