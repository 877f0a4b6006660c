-- The names in slices by the first letters of their words: as few letters as leave 20,000 players at most.
create or replace temp table word as
select distinct rowid as player, unnest(string_split(folded, ' ')) as word from name;

create or replace temp table first_letters as
with beginnings as (
    select letters, rpad(word, 8, ' ')[:letters] as beginning, count(*) as players
    from word, unnest(range(1, 9)) as lengths (letters) where word <> '' group by all
)
select own.letters, own.beginning, (row_number() over (order by own.beginning) - 1)::int as slice
from beginnings as own left join beginnings as shorter
on shorter.letters = own.letters - 1 and shorter.beginning = own.beginning[:own.letters - 1]
where (own.players <= getvariable('most') or own.letters = 8)
    and (own.letters = 1 or shorter.players > getvariable('most'));

create or replace temp table name_parts as
with own as (
    select distinct slice, player
    from word, unnest(range(1, 9)) as lengths (letters)
    join first_letters using (letters)
    where beginning = rpad(word, 8, ' ')[:letters]
)
select slice, player as position, name.* exclude (folded)
from own join name on name.rowid = player
qualify row_number() over (partition by slice order by player) <= getvariable('most');
