-- note: {file_name} and {rival} are both version {version} of the event {event_id}, and {games:,} {differ}
-- (round {round}, {white_id} against {black_id}: {result} here, {rival_result} there). If they are one event, no further
-- list takes either. To use this one: write version {next_version} for it in manifest.csv, and load it again. To
-- use the other one: ratinglist retract {loaded_no}
-- when: load
from rival_report
qualify count(*) over (partition by event_id, version) = 1 and rated_in is null
order by file_name, event_id
