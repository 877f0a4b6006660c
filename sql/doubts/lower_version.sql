-- note: {file_name}: version {version} of the event {event_id} changes nothing, because version {newest} is known:
-- {newest_file}. If this report is right, write version {next_version} for it in manifest.csv, and load it again
-- when: load
--
-- Compared are accepted reports that begin on one day: a slice has versions of its own.
select this.file_name, this.event_id, this.version, max(other.version) as newest, newest + 1 as next_version,
    max_by(other.file_name, other.version) as newest_file
from report as this semi join sent using (report_id)
join report as other using (event_id, start_date)
where this.accepted and other.accepted and other.version > this.version and other.loaded_no < this.loaded_no
group by this.report_id, this.file_name, this.event_id, this.version
order by all
