-- One row per correction that counts: not undone. A table, because most queries need it: it is made again after each
-- correction.
create or replace temp table correction_now as
select * from correction_as_known(null);
