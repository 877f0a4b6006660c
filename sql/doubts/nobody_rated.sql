-- note: no result is rated, because no player of these events had a rating, and ratinglist import-players registers players
-- without one. If they have one, begin again in a new home, from a list that has it: ratinglist import-list FILE --month
-- {before}
-- when: rate
select strftime(($month || '-01')::date - interval 1 month, '%Y-%m') as before
from side
where month = $month and reason is not null
having min(reason) = 'opponent_unrated' and max(reason) = 'opponent_unrated'
