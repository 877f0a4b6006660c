-- One row per correction, with what it changed as a text.
create or replace temp view correction_described as
select
    made.*,
    concat_ws(' ',
        replace(made.action, '_', ' '),
        made.event_id,
        'round ' || made.round,
        made.white_id || ' - ' || made.black_id,
        made.result,
        made.fide_id,
        'to ' || made.new_id,
        'correction ' || made.undoes,
        (
            select string_agg(distinct field || ' ' || value, ', ' order by field || ' ' || value)
            from corrected_field where corrected_field.correction_no = made.correction_no
        )
    ) as what,
    coalesce(undone.action, made.action) as decided_action
from correction as made
left join correction as undone on undone.correction_no = made.undoes;
