-- One row per correction that counts: not undone.
select * from counting_correction
