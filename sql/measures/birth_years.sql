-- One row per year of birth of players on the list.
select birth_year, count(*) as players, sum(rating) as rating_sum, mean_hundredths(rating_sum, players) as mean_hundredths
from listed
where birth_year is not null
group by birth_year
order by birth_year
