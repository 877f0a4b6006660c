-- The readings that each calculation was made by: a published list keeps those it was published by.

-- Calculations of before took a report without a time control as standard.
alter table calculation add column if not exists readings integer default 1;

-- One row per message for the office: the next command that writes prints it and deletes the row.
create table notice (
    name varchar not null
);

insert into notice
select 'taken_as_standard' where exists (select 1 from finding where rule = 'default_time_control');
