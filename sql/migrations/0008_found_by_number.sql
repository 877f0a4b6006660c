-- What a list needs is found without going through the years before it.

-- One row per month and time control that has a list: the months of list_state, whose rows are many.
create table list_kept (
    month varchar not null,
    time_control varchar not null
);

insert into list_kept
select distinct month, time_control from list_state;

-- Reports are numbered as they come, and their games with them: those of a month stand together.
alter table report add column report_no integer;

alter table report_game add column report_no integer;

update report
set report_no = numbered.report_no
from (select report_id, (row_number() over (order by rowid) - 1)::integer as report_no from report) as numbered
where report.report_id = numbered.report_id;

update report_game
set report_no = report.report_no
from report
where report_game.report_id = report.report_id;
