-- One row per player who may still be a junior on the newest list before, or when one of the month's events started: the
-- year of his birth and his birthday as MMDD, 31 December where only the year is known.
select
    fide_id,
    coalesce(year(birth_date), birth_year) as birth_year,
    coalesce(month(birth_date) * 100 + day(birth_date), 1231) as birthday
from known_player
where coalesce(year(birth_date), birth_year) + 18 >= least(
    (select min(left(month, 4)::integer) from earlier where is_newest),
    (select min(year(start_date)) from event where month = $month and status = 'rated'),
    left($month, 4)::integer
);
