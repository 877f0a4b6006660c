-- One row per player: the year of his birth and his birthday as MMDD, 31 December where only the year is known.
select
    fide_id,
    coalesce(year(birth_date), birth_year) as birth_year,
    coalesce(month(birth_date) * 100 + day(birth_date), 1231) as birthday
from known_player;
