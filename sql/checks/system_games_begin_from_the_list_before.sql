-- The games counted before are those of the list before, and so are the ratings of opponents where the rules use that
-- list for all events.
-- For other systems than FIDE's only.
select system_change.fide_id, null as round, games_before as used, coalesce(games_played, 0) as on_the_list_before
from system_change left join system_listed using (fide_id)
where games_before is distinct from coalesce(games_played, 0)
union all
select system_side.opponent_id, round, opponent_rating, listed.rating
from system_side join system_listed as listed on listed.fide_id = system_side.opponent_id cross join system_rule
where "list".ratings_used = 'list_before'
    and system_side.reason is not null
    and opponent_rating is distinct from listed.rating;
