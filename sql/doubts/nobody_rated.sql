-- note: no result is rated, because no player of these events had a rating, and ratinglist import-players registers players
-- without one. If they have one, begin again in a new home, from a list that has it: ratinglist import-list FILE --month
-- {before}
-- when: rate
select strftime(($month || '-01')::date - interval 1 month, '%Y-%m') as before
from game
where month = $month
having bool_and(reason = 'opponent_unrated') filter (where rule_set is not null)
