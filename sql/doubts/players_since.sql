-- ask: Is it right that the list is published as it was calculated, though since then players of its reports were
-- registered, or births or sexes of its players were changed?
-- when: publish
-- remedy: ratinglist rate {month}{rules}
--
-- Names, titles and federations are written as they are known now, and need no calculation.
with calculated as (
    select last_source from calculation where is_newest and month = $month
),
waiting as (
    select event_id, report_no from event join report using (report_id, event_id)
    where month = $month and reason = 'unknown_player'
),
since as (
    select player.* from known_player($month) as player, calculated where in_time and source_no > last_source
),
known as (
    select player.* from player_version as player semi join since using (fide_id), calculated
    where source_no <= last_source
    qualify row_number() over (partition by fide_id order by source_no desc) = 1
),
changed as (
    select since.fide_id,
        since.sex <> known.sex as has_other_sex,
        coalesce(since.birth_year, year(since.birth_date))
            is distinct from coalesce(known.birth_year, year(known.birth_date)) as has_other_birth
    from since join known using (fide_id)
    where fide_id in (select fide_id from game where month = $month)
)
select event_id, null::bigint as fide_id, 'its players are registered' as what
from waiting anti join (
    select report_no from waiting join current_report_player using (report_no) anti join known_player($month) using (fide_id)
) using (report_no)
where $month not in (select month from current_revision)
union
select null, fide_id, if(has_other_birth, 'year of birth', 'sex')
from changed
where (has_other_sex or has_other_birth) and $month not in (select month from current_revision)
order by all
