-- One row per correction that counts: not undone.
create or replace view correction_now as
select * from correction_as_known(null);
