-- How many of a hundred games are drawn, by the rating of White?
select
    rating // 200 * 200 as rating_from,
    count(*) as games,
    round(100.0 * count(*) filter (where score_halves = 1) / count(*), 1) as draws_percent
from games
where colour = 'w' and rated
group by rating_from
order by rating_from;
