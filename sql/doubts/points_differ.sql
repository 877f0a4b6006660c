-- ask: Are these reports whole, though the points of many players are not the sum of their results (is a round
-- missing)?
-- when: publish
select event.event_id, report.file_name as file, count(distinct finding.line)::integer as players_with_other_points,
    report.players
from event
join report using (report_id)
join finding using (report_id)
where event.month = $month and event.status = 'rated' and finding.rule = 'points_differ'
group by event.event_id, report.file_name, report.players
having count(distinct finding.line) >= $points_players
    and 100 * count(distinct finding.line) >= $points_percent * report.players
    -- A program that keeps no points writes zeros.
    and bool_or(regexp_matches(finding.value, '[1-9]'))
order by event.event_id
