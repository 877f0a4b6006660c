-- note: {file}, line {line}: the FIDE ID {fide_id} is registered for {name}, and so is {other_id}, whom the rating of the
-- report, {rating}, fits; a wrong FIDE ID is put right with ratinglist correct report {event_id} --id {fide_id}={other_id}
-- --because "..." --by NAME
-- when: rate
--
-- Lines without a birth, in the events that this list rates. The lists of the three newest months are looked at: of two
-- players with one name, a rating within 50 points is the one's, and none within 200 points is the other's.
with line as (
    select report.file_name as file, report.event_id, line.line, line.fide_id, line.name, line.rating
    from current_report_player as line join current_report as report using (report_no)
    where report.report_id in (select report_id from event where month = $month and status = 'rated')
        and line.name <> '' and line.rating > 0 and line.birth_year is null and line.birth_date is null
),
person as materialized (
    select fide_id, lower(name) as lower_name from player_now where lower(name) in (select lower(name) from line)
),
pair as materialized (
    select line.*, other.fide_id as other_id
    from line
    join person as own on own.fide_id = line.fide_id and own.lower_name = lower(line.name)
    join person as other on other.fide_id <> line.fide_id and other.lower_name = own.lower_name
),
rated as materialized (
    select fide_id, rating from list_to_stand_on
    semi join (select fide_id from pair union select other_id from pair) as named using (fide_id)
    where month in (select distinct month from standing_list order by month desc limit 3)
)
select * from pair
where exists (from rated where rated.fide_id = other_id and abs(rated.rating - pair.rating) <= 50)
    and not exists (from rated where rated.fide_id = pair.fide_id and abs(rated.rating - pair.rating) <= 200)
order by all
