-- One row per correction that counted at the end of a day (null: that counts now): made by then, and not undone by then.
-- An undo is never undone: the correction is made again.
create or replace temp macro correction_as_known(known_by) as table
with known as (
    select * from correction where known_by is null or known_on <= known_by
)
select *
from known
anti join (select undoes as correction_no from known where action = 'undo') as undone using (correction_no)
where action <> 'undo';
