-- Every player on the list is registered, with name and federation.
-- FIDE IDs are compared 64 at a time, as the bits of one number: a block of 64 IDs is searched one by one only where a
-- listed ID has no registered bit.
with known as (
    select fide_id >> 6 as numbers, bit_or(1::ubigint << (fide_id & 63)::ubigint) as bits from player group by numbers
),
listed as (
    select fide_id >> 6 as numbers, bit_or(1::ubigint << (fide_id & 63)::ubigint) as bits
    from list_state where month = $month and rating is not null
    group by numbers
),
suspected as (
    select numbers from listed left join known using (numbers) where listed.bits & ~coalesce(known.bits, 0::ubigint) <> 0
)
select list_state.time_control, list_state.fide_id
from list_state anti join (select fide_id from player where exists (from suspected)) as registered using (fide_id)
where list_state.month = $month and list_state.rating is not null and exists (from suspected);
