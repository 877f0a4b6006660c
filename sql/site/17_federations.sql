-- How many players has each federation, and how high is the mean of its first ten?
with ranked as (
    select
        federation,
        rating,
        row_number() over (partition by federation order by rating desc, fide_id asc) as place
    from lists
    where list_month = newest_list() and time_control = 'standard'
)

select
    federation,
    count(*) as players,
    round(avg(rating) filter (where place <= 10)) as mean_of_first_ten
from ranked
group by federation
order by mean_of_first_ten desc, federation asc
limit 20;
