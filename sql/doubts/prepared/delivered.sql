-- One row per report that was loaded for the list: its status (refused, waiting, good), and whether its event had ended and
-- it arrived after the list closed (is_later). A report that came again in a better version, or was set aside, is left
-- out. A report that waited when the list was calculated waits for this list, also where the fact is known by now.
with loaded as (
    select report.* from report anti join dismissed_report using (report_id)
    where loaded_no > $after and loaded_no < $before
),
waits as (
    select report_id from unregistered
    union select report_id from finding
    where effect = 'waits' or (effect = 'refused' and rule in (select unnest($waiting)))
    union select report_id from event where month = $month and reason in (select unnest($waiting))
),
good as (
    select event_id, sha256 from report anti join waits using (report_id) where accepted
)
select
    report_id,
    event_id,
    case
        when report_id in (select report_id from waits) then 'waiting'
        when accepted then 'good'
        else 'refused'
    end as status,
    accepted and (
        received_on >= ($month || '-01')::date and end_date < ($month || '-01')::date
        or report_id in (select report_id from event where month = $month and reason = 'received_after_closing')
    ) as is_later,
    received_on,
    file_name
from loaded
where report_id in (select report_id from report anti join waits using (report_id) where accepted)
    or (event_id not in (select event_id from good) and sha256 not in (select sha256 from good))
order by report_id
