-- note: {file_name}: version {version} of the event {event_id} takes the place of version {version_before}; {games:,} of
-- their games differ
-- when: load
select this.file_name, this.event_id, this.version, max(other.version) as version_before,
    (select count(*) from changed_game where changed_game.report_id = this.report_id) as games
from report as this semi join sent using (report_id)
join report as other using (event_id, start_date)
where this.accepted and other.accepted and other.version < this.version and other.loaded_no < this.loaded_no
group by this.file_name, this.event_id, this.report_id, this.version
order by all
