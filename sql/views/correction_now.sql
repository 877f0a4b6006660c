-- One row per correction that counts: not undone.
create or replace temp view correction_now as
select * from correction_as_known(null);
