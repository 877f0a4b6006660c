-- How much does White score of a hundred points, by time control?
select
    time_control,
    count(*) as games,
    round(100.0 * sum(score_halves) / (2 * count(*)), 1) as white_percent
from games
where colour = 'w' and rated
group by time_control
order by time_control desc;
