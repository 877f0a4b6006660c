-- A month has millions of games and only thousands of events: the side of a game names its event by number, and the
-- view "game" gives the words back. What earlier versions calculated is kept.

create type side_reason as enum (
    '', 'same_game', 'opponent_unrated', 'rating_gap', 'time_limit', 'counts_for_entry', 'zero_first_event',
    'tranche_too_small'
);

alter table event rename to event_without_number;

-- One row per event known to the period. event_no is unique over all months; rule_set is null where it is not rated.
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
    event_no uinteger not null,
    rule_set varchar,
    report_id varchar not null
);

-- One row per player and played game of every event considered, rated or not.
create table side (
    event_no uinteger not null,
    round integer not null,
    fide_id bigint not null,
    date date,
    opponent_id bigint not null,
    is_white boolean not null,
    score_halves integer not null,
    rating integer,
    opponent_rating integer,
    difference_used integer,
    expected_hundredths integer,
    k integer,
    change_hundredths integer,
    reason side_reason
);

insert into event by name
select
    event_without_number.*,
    row_number() over (order by month, time_control, event_id) - 1 as event_no,
    used.rule_set
from event_without_number
left join (select month, event_id, min(rule_set) as rule_set from game group by month, event_id) as used
    using (month, event_id)
order by event_no;

insert into side
select
    event.event_no,
    game.round,
    game.fide_id,
    game.date,
    game.opponent_id,
    game.colour = 'w',
    game.score_halves,
    game.rating,
    game.opponent_rating,
    game.difference_used,
    game.expected_hundredths,
    game.k,
    game.change_hundredths,
    case when event.reason = '' then game.reason end
from game join event using (month, event_id)
order by event.event_no, game.round, game.fide_id;

drop table game;
drop table event_without_number;
