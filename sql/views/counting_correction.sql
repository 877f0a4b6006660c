-- One row per correction that counts: not undone. An undo is never undone: the correction is made again.
create or replace temp view counting_correction as
select *
from correction
anti join (select undoes as correction_no from correction where action = 'undo') as undone using (correction_no)
where action <> 'undo';
