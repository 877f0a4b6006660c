-- note: {file_name}: version {version} of the event {event_id} {place}; {games:,} of their games differ{corrections}
-- when: load
--
-- On the list that has rated an event a new version counts where it was received in time, and on a later one never.
-- A correction is of the reports that were there when it was made. Left out is one of a result that the new version has.
with held as (
    select coalesce(replaces_id, report_id) as report_id, correction_no from corrected_report
    union select report_id, correction_no from corrected_game
    union select report_id, correction_no from corrected_player
    union select report_id, correction_no from corrected_field
),
pair as (
    select this.report_id, this.report_no, max_by(other, other.version) as before
    from report as this semi join sent using (report_id)
    join report as other using (event_id, start_date)
    where this.accepted and other.accepted and other.version < this.version and other.loaded_no < this.loaded_no
    group by all
),
repeated as (
    select game.report_no, correction_no
    from corrected_game join report_game as game using (round, white_id, black_id, white_halves, black_halves)
    semi join pair using (report_no)
),
lost as (
    select pair.report_id,
        string_agg(what || ' (entry ' || source_no || ' of ratinglist log)', ', ' order by correction_no) as texts
    from pair
    join held on held.report_id = pair.before.report_id
    join counting_correction using (correction_no)
    join correction_described using (correction_no, source_no)
    where (pair.report_id, correction_no) not in (from held)
        and (report_no, correction_no) not in (from repeated)
    group by pair.report_id
)
select file_name, event_id, version, before.version as version_before,
    coalesce(
        'changes nothing on a list after that of ' || (
            select max(month) from event where event.report_id = before.report_id and event.status = 'rated'
        ) || ', which has rated version ' || version_before,
        'takes the place of version ' || version_before
    ) as place,
    (select count(*) from changed_game where changed_game.report_id = pair.report_id) as games,
    coalesce(
        '. Corrections of version ' || version_before || ' do not hold for it; repeat what it still has wrong: ' || texts,
        ''
    ) as corrections
from pair join report using (report_id) left join lost using (report_id)
order by all
