-- One row per correction that counts: not undone.
select * from correction_as_known(null)
