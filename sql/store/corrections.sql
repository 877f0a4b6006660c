-- What was corrected, and when it was known. These tables only grow.

-- One row per correction, in the order they were made. What it says is kept as it was said; what it means for
-- the reports in the store is in the five tables below. known_on: the day the office made it. first_month: the first list
-- that it could move then; empty where none was calculated.
create table correction (
    correction_no integer not null,
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
    known_on date not null,
    first_month varchar not null
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

-- One row per correction of a player's data. An empty cell is not corrected; with no birth_year the birth is not, with
-- one and no birth_date only the year is known.
create table corrected_data (
    correction_no integer not null,
    fide_id bigint not null,
    name varchar,
    federation varchar,
    sex varchar,
    birth_date date,
    birth_year integer,
    title varchar,
    women_title varchar,
    other_titles varchar
);

-- One row per correction, report and field of the report that it corrects; the value as a manifest writes it.
create table corrected_field (
    correction_no integer not null,
    report_id varchar not null,
    field varchar not null,
    value varchar not null
);
