-- How many results of a month are not rated though their events are, by reason.
select games.reason, count(*) as results from games join events using (month, event_id)
where month = getvariable('month') and status = 'rated' and not rated
group by games.reason order by results desc, games.reason;
