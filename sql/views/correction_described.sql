-- One row per correction, what it changed as a text, and the players that it, or the correction it undoes, names.
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
    list_filter(
        [
            coalesce(undone.white_id, made.white_id), coalesce(undone.black_id, made.black_id),
            coalesce(undone.fide_id, made.fide_id), coalesce(undone.new_id, made.new_id)
        ],
        lambda named: named is not null
    ) as fide_ids,
    coalesce(undone.action, made.action) as decided_action
from correction as made
left join correction as undone on undone.correction_no = made.undoes;
