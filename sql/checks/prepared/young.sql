-- One row per player who may still be a junior on the newest list before, or when one of the month's events started: the
-- year of the eighteenth birthday (eighteen_in), and its day as a number YYYYMMDD (eighteen_on), 31 December where only the
-- year of birth is known.
with first as (
    select least(
        (select min(left(month, 4)::integer) from earlier where is_newest),
        (select min(year(start_date)) from event where month = $month and status = 'rated'),
        left($month, 4)::integer
    ) as year
)
select
    fide_id,
    coalesce(year(birth_date), birth_year) + 18 as eighteen_in,
    10000 * eighteen_in + coalesce(month(birth_date) * 100 + day(birth_date), 1231) as eighteen_on
from known_player, first
where eighteen_in >= first.year;
