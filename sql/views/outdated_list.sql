-- One row per list that was calculated from what counts no more: a list that another one has replaced since, or that was
-- withdrawn (list_before: its month), or what was received and undone since (list_before is null).
create or replace temp view outdated_list as
with counting as (
    select month, calculation_id, before_id,
        lag(month) over in_order as month_before, lag(calculation_id, 1, '') over in_order as counting_before
    from calculation where is_standing
    window in_order as (order by month)
),
used as (
    select month, left(digest, 7) as list_before, string_split(digest, ' ')[-1] as made_from
    from calculation_input where kind = 'lists'
)
select month, list_before from used
where made_from not in (select calculation_id from counting union all select sha256 from source_file)
union
-- One that was withdrawn then, and is there again.
select month, month_before from counting
where before_id <> counting_before and (before_id = '' or before_id in (select calculation_id from counting))
union
select month, null from calculation_input
where kind in ('players', 'references') and string_split(digest, ' ')[-1] not in (select sha256 from source_file)
union
select month, null from event where report_id not in (select report_id from report);
