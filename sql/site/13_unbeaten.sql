-- Who played most rated games of this list without a loss?
with unbeaten as (
    select
        fide_id,
        count(*) as games,
        sum(score_halves) / 2 as score
    from games
    where list_month = newest_list() and rated
    group by fide_id
    having min(score_halves) > 0
),

players as (
    select
        fide_id,
        any_value(name) as name
    from lists
    where list_month = newest_list()
    group by fide_id
)

select fide_id, players.name, unbeaten.score, unbeaten.games
from unbeaten
inner join players using (fide_id)
order by unbeaten.games desc, unbeaten.score desc, fide_id asc
limit 20;
