-- One row per FIDE ID merged into another: the FIDE ID of the person now, at the end of the chain.
with recursive step as (
    select fide_id, new_id, 1 as steps from correction_now where action = 'merge'
    union all
    select step.fide_id, merged.new_id, step.steps + 1
    from step join correction_now as merged on merged.action = 'merge' and merged.fide_id = step.new_id
)
select fide_id, arg_max(new_id, steps) as now_id from step group by fide_id
