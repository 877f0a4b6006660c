-- Which wins over the board were the largest upsets of this list?
with players as (
    select
        fide_id,
        any_value(name) as name
    from lists
    where list_month = newest_list()
    group by fide_id
)

select
    games.fide_id,
    winner.name,
    games.rating,
    loser.name as opponent,
    games.opponent_rating,
    games.opponent_rating - games.rating as difference
from games
inner join players as winner on games.fide_id = winner.fide_id
inner join players as loser on games.opponent_id = loser.fide_id
where games.list_month = newest_list() and games.rated and games.score_halves = 2
order by difference desc, games.fide_id, games.round
limit 20;
