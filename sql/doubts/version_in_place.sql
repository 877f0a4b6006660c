-- note: {file_name}: version {version} of the event {event_id} takes the place of version {version_before}; {changed:,} of
-- its games are new or have another result
-- when: load
with sent_version as (
    select report.* from report semi join sent using (report_id) where accepted
),
versions as (
    select this.file_name, this.event_id, this.report_no, this.version, max(other.version) as version_before,
        max_by(other.report_no, other.version) as report_before
    from sent_version as this
    join report as other using (event_id, start_date)
    where other.accepted and other.version < this.version and other.loaded_no < this.loaded_no
    group by this.file_name, this.event_id, this.report_no, this.version
)
select file_name, event_id, version, version_before,
    (
        select count(*) from report_game as game
        where game.report_no = versions.report_no and not exists (
            from report_game as kept
            where kept.report_no = versions.report_before and kept.round = game.round
                and kept.white_id = game.white_id and kept.black_id = game.black_id
                and kept.white_halves = game.white_halves
        )
    ) as changed
from versions
order by all
