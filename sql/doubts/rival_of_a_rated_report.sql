-- note: {file_name} and {rival} are both version {version} of the event {event_id}, and {games:,} {differ}
-- (round {round}, {white_id} against {black_id}: {result} here, {rival_result} there). If they are one event, no further
-- list takes either. The list of {rated_in}, which is published, has the other one. To keep that: ratinglist
-- retract {loaded_no}. To use this one, the same command, and then: ratinglist correct report {event_id} --file
-- {file_typed} --because "..." --by NAME
-- when: load
--
-- A higher version would change nothing any more.
select *, '''' || file_name || '''' as file_typed from rival_report
qualify count(*) over (partition by event_id, version) = 1 and rated_in is not null
order by file_name, event_id
