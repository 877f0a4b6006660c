-- The readings that each calculation was made by: a published list keeps those it was published by.

-- Calculations of before took a report without a time control as standard.
alter table calculation add column readings integer default 1;

-- A message that the next command that writes prints once; it deletes the row.
create table notice (
    name varchar not null
);

insert into notice
select 'taken_as_standard' where exists (select 1 from finding where rule = 'default_time_control');
