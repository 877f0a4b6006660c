-- Who looked at a list before readers saw it: reasons given, previews made, approvals. Answers and approvals only grow.

-- One row per reason given for what a question found; found_digest names exactly that. The newest one holds.
create table answer (
    answer_no integer not null primary key,
    month varchar not null,
    question varchar not null,
    found_digest varchar not null,
    reason varchar not null,
    known_on date not null
);

-- One row per month that has a preview: the newest one made of it. unanswered: questions it leaves open; go_on: the
-- command that publishes it.
create table preview (
    month varchar not null primary key,
    revision integer not null,
    digest varchar not null,
    calculation_id varchar not null,
    unanswered varchar not null,
    go_on varchar not null,
    known_on date not null
);

-- One row per approval of a preview, named by its digest.
create table approval (
    approval_no integer not null primary key,
    month varchar not null,
    digest varchar not null,
    name varchar not null,
    remark varchar not null,
    known_on date not null
);
