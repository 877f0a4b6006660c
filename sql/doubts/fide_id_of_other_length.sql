-- note: {fide_id} {name}: no other player of {federation} has a FIDE ID that begins so, and {near} is usual there; is a digit
-- missing or too many?
-- when: import-players
--
-- Nobody else of the federation has a FIDE ID of this ten thousand, and five players have one of a ten thousand that a
-- digit more or less would give.
with registered as (
    select fide_id, name, federation, fide_id // 10000 as block, source_no = $source as is_here
    from player
    qualify row_number() over (partition by fide_id order by source_no) = 1
),
blocks as (
    select federation, block, count(*) filter (not is_here) as known, count(*) as players
    from registered group by all
)
select fide_id, name, federation, string_agg(other.block || '....', ' or ' order by other.block) as near
from registered
join blocks as own using (federation, block)
join blocks as other using (federation)
where is_here and own.players = 1 and other.known >= 5
    and abs(length(other.block::varchar) - length(registered.block::varchar)) = 1
    and levenshtein(other.block::varchar, registered.block::varchar) = 1
group by all
order by fide_id
