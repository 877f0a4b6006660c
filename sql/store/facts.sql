-- What was received, and when it was known. A correction is a new row. No table has a key that DuckDB keeps: `doctor`
-- reads every block of a table to find a damaged one, and cannot read those of an index.

-- One row per version of an event's report ever received. Reports are numbered as they come; their lines and games
-- have this number: those of a month stand together. loaded_no: the number of the entry of the log that its delivery has.
create table report (
    report_id varchar not null,
    sha256 varchar not null,
    file_name varchar not null,
    received_on date not null,
    event_id varchar not null,
    version integer not null,
    name varchar not null,
    federation varchar not null,
    start_date date,
    end_date date,
    event_type varchar not null,
    time_control varchar not null,
    official boolean not null,
    registered_on date,
    minutes_per_60_moves integer,
    report_format varchar not null,
    rounds integer not null,
    first_round integer,
    last_round integer,
    players integer not null,
    games integer not null,
    forfeits integer not null,
    byes integer not null,
    games_digest varchar not null,
    accepted boolean not null,
    report_no integer not null,
    loaded_no integer
);

-- One row per player line of an accepted report.
create table report_player (
    report_no integer not null,
    line integer not null,
    start_number integer,
    sex varchar not null,
    name varchar not null,
    rating integer,
    federation varchar not null,
    fide_id bigint,
    birth_date date,
    birth_year integer,
    points_tenths integer
);

-- One row per game played over the board of an accepted report.
create table report_game (
    report_no integer not null,
    round integer not null,
    date date,
    white_id bigint not null,
    black_id bigint not null,
    white_halves integer not null,
    black_halves integer not null,
    white_line integer not null,
    black_line integer not null
);

-- One row per thing noticed in a report: what refused it, or what was only noted.
create table finding (
    report_id varchar not null,
    line integer,
    "column" integer,
    value varchar not null,
    rule varchar not null,
    detail varchar not null,
    effect varchar not null
);

-- One row per imported file: a list, a reference list, a file of players or of corrections. source_no: the number of its
-- entry in the log. counts_from: the first list that knows the players of the file so; null: the next one.
create table source_file (
    source_no integer not null,
    sha256 varchar not null,
    file_name varchar not null,
    kind varchar not null,
    month varchar,
    known_on date not null,
    counts_from varchar
);

-- One row per version of a player's data: a change is a new row, nothing is overwritten.
create table player (
    fide_id bigint not null,
    name varchar not null,
    federation varchar not null,
    sex varchar not null,
    title varchar not null,
    women_title varchar not null,
    other_titles varchar not null,
    birth_date date,
    birth_year integer,
    known_on date not null,
    source_no integer not null
);

-- One row per version of a player's membership of a club: a change is a new row, nothing is overwritten.
-- club is empty where the player left it.
create table membership (
    fide_id bigint not null,
    club varchar not null,
    member_until date,
    known_on date not null,
    source_no integer not null
);

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

-- One row per month and time control of an imported list, whose rows are many.
create table list_imported (
    month varchar not null,
    time_control varchar not null
);

-- One row per player rated on an imported list of another federation that a family looks at.
create table reference_list (
    month varchar not null,
    fide_id bigint not null,
    rating integer not null,
    source_no integer not null
);

-- One row per store: what it was made from. layout: the digest of the statements that make its tables; entry_no and
-- digest: the newest entry of the log when it was written, 0 and empty where there was none.
create table made_from (
    layout varchar not null,
    entry_no integer not null,
    digest varchar not null
);
