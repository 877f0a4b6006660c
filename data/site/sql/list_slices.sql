-- The slices of a list: the part that each is of, and how many rows it has.
select part, slice, count(*)::int as players from listed group by all order by slice;
