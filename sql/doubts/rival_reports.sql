-- note: {reports:,} reports have the code {event_id} and version {version}, and other games: {files}. First undo this
-- delivery: ratinglist retract {loaded_no}. Then, in manifest.csv, give each event an event_id of its own, or the right
-- report version {next_version}
-- when: load
with pair as (
    select event_id, version, next_version, loaded_no, unnest([file_name, rival]) as name
    from rival_report qualify count(*) over (partition by event_id, version) > 1
)
select event_id, version, next_version, min(loaded_no) as loaded_no, count(distinct name) as reports,
    string_agg(distinct name, ', ' order by name) as files
from pair group by all order by event_id, version
