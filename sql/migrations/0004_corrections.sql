-- What was corrected, and when it was known; what every calculation gave, also those that a later one replaced.
-- These tables only grow.

-- One row per correction, in the order they were made. What it says is kept as it was said; what it means for
-- the reports in the store is in the three tables below. known_on: the day the office made it.
create table correction (
    correction_no integer not null primary key,
    source_no integer not null,
    action varchar not null,
    event_id varchar,
    round integer,
    white_id bigint,
    black_id bigint,
    result varchar,
    fide_id bigint,
    new_id bigint,
    undoes integer,
    reason varchar not null,
    who varchar not null,
    reported_on date not null,
    known_on date not null
);

-- One row per correction and report it withdraws or puts in the place of another. received_on: the day of receipt of
-- the report replaced, which the replacing one takes over.
create table corrected_report (
    correction_no integer not null,
    report_id varchar not null,
    replaces_id varchar,
    received_on date,
    withdrawn boolean not null
);

-- One row per correction and game whose result it changes, by the IDs of the report. No score: it was not played.
create table corrected_game (
    correction_no integer not null,
    report_id varchar not null,
    round integer not null,
    white_id bigint not null,
    black_id bigint not null,
    white_halves integer,
    black_halves integer
);

-- One row per correction and player of a report who was somebody else, by the ID of the report.
create table corrected_player (
    correction_no integer not null,
    report_id varchar not null,
    fide_id bigint not null,
    new_id bigint not null
);

-- One row per calculation ever made. last_correction and last_source: the newest correction and the newest import
-- it knew of (0: none).
create table calculation_made (
    calculation_no integer not null primary key,
    month varchar not null,
    calculation_id varchar not null,
    family varchar not null,
    made_on date not null,
    last_correction integer not null,
    last_source integer not null
);

-- One row per player of a list whom a later calculation of the same month changed: what he was before. replaced_by:
-- the number of that calculation. is_absent: he was not on the list then, and all else is empty.
create table list_state_past (
    month varchar not null,
    time_control varchar not null,
    fide_id bigint not null,
    rating integer,
    games integer,
    k integer,
    games_played integer,
    reached_2400 boolean,
    reached_2300 boolean,
    last_played date,
    inferred varchar,
    is_absent boolean not null,
    replaced_by integer not null
);

-- One row per revision published by this home, and the calculation it shows. calculations and last_source: the newest
-- calculation of any month, and the newest import, when it was published.
create table publication (
    month varchar not null,
    revision integer not null,
    calculation_no integer not null,
    published_on date not null,
    calculations integer not null,
    last_source integer not null,
    primary key (month, revision)
);

-- Which lists a calculation stood on: as they are now known (corrected) or as they were first published.
alter table calculation add column continue_from varchar default 'corrected';

-- Months calculated before this was noted: the day is not known, so it is the day their list took effect.
insert into calculation_made
select row_number() over (order by month), month, calculation_id, family, (month || '-01')::date,
    0, (select coalesce(max(source_no), 0) from source_file)
from calculation;
