-- stop: A reference list was imported since this list was calculated.
-- when: before-publish
--
-- For systems that read reference lists only.
with calculated as (
    select last_source from calculation where is_newest and month = $month
)
select distinct $month as list, reference_list.month as reference_list
from reference_list, calculated
where (select bool_or(reads_references) from list_rule) and reference_list.month <= $month and reference_list.source_no > calculated.last_source
