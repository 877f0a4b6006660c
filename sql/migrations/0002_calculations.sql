-- What the calculation of a month gave, as now known: keyed by month and replaced whole by the next calculation of
-- that month. What was published stays, immutable, in its own folder.

-- One row per month calculated. calculation_id is a digest of everything it was computed from.
create table calculation (
    month varchar not null primary key,
    calculation_id varchar not null,
    before_id varchar not null,
    family varchar not null,
    rule_sets varchar not null,
    one_time_step varchar not null,
    code_version varchar not null,
    inputs varchar not null
);

-- One row per player and time control on a list, with the state the development coefficient depends on.
-- source_no: the import it came from; null where it was calculated here.
create table list_state (
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
    source_no integer
);

-- One row per event known to the period.
create table event (
    month varchar not null,
    event_id varchar not null,
    name varchar not null,
    federation varchar not null,
    time_control varchar not null,
    event_type varchar not null,
    start_date date,
    end_date date,
    received_on date not null,
    version integer not null,
    status varchar not null,
    reason varchar not null,
    report_sha256 varchar not null,
    players integer not null,
    games integer not null,
    report_id varchar not null
);

-- One row per player and played game of every event considered, rated or not.
create table game (
    month varchar not null,
    time_control varchar not null,
    event_id varchar not null,
    round integer not null,
    fide_id bigint not null,
    date date,
    opponent_id bigint not null,
    colour varchar not null,
    score_halves integer not null,
    rating integer,
    opponent_rating integer,
    difference integer,
    difference_used integer,
    expected_hundredths integer,
    k integer,
    change_hundredths integer,
    rule_set varchar,
    rated boolean not null,
    reason varchar not null
);

-- One row per player whose rating was computed in the period.
create table change (
    month varchar not null,
    time_control varchar not null,
    fide_id bigint not null,
    old_rating integer,
    games integer not null,
    k integer,
    change_hundredths integer,
    change integer,
    new_rating integer,
    status varchar not null
);

-- One row per unrated player with counted results.
create table entry (
    month varchar not null,
    time_control varchar not null,
    fide_id bigint not null,
    games integer not null,
    score_halves integer not null,
    opponent_average decimal(12, 2) not null,
    p_hundredths integer not null,
    dp integer not null,
    computed_rating integer,
    published boolean not null,
    reason varchar not null
);

-- One row per unrated player and event whose results still wait.
create table pool (
    month varchar not null,
    time_control varchar not null,
    fide_id bigint not null,
    event_id varchar not null,
    games integer not null,
    score_halves integer not null,
    opponent_rating_sum integer not null,
    counted_month varchar not null,
    expires_month varchar not null
);
