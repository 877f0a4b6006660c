-- Everybody on the list is registered: a row without name and federation must not be published.
-- Of 64 numbers in a row, those registered and those listed are compared at once, as the bits of one number: only where a bit
-- is missing are players looked up one by one.
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
