-- What was calculated is in Parquet files under HOME/calculations, which the program writes before it runs this. The
-- store keeps the facts, and one row per calculation that names its folder.

-- These views are temporary now: they read the files of the home that is open.
drop view if exists game_line;
drop view if exists game;
drop view if exists list_to_stand_on;
drop view if exists first_published_state;
drop view if exists last_source_seen;
drop view if exists month_count;
drop view if exists report_status;
drop view if exists unrateable_report;
drop view if exists unknown_player;
drop view if exists registered_person;
drop view if exists player_now;
drop view if exists player_changed;
drop view if exists current_report_game;
drop view if exists current_report_player;
drop view if exists current_report;
drop view if exists current_identity;
drop view if exists correction_now;
drop macro table if exists player_as_known;
drop macro table if exists correction_as_known;

-- One row per player and time control on an imported list, with the state the development coefficient depends on.
create table imported_list (
    month varchar not null,
    time_control varchar not null,
    fide_id bigint not null,
    rating integer,
    games integer not null,
    k integer,
    games_played integer not null,
    reached_2400 boolean not null,
    reached_2300 boolean not null,
    last_played date,
    inferred varchar not null,
    source_no integer not null
);

insert into imported_list by name
select * from list_state where source_no is not null;

-- The folder of the current calculation of a month is HOME/calculations/month=<month>/c<calculation_no>.
alter table calculation add column calculation_no integer;

update calculation
set calculation_no = newest.calculation_no
from (select month, max(calculation_no) as calculation_no from calculation_made group by month) as newest
where newest.month = calculation.month;

drop table list_state;
drop table list_state_past;
drop table side;
drop table event;
drop table change;
drop table entry;
drop table pool;
drop type side_reason;
