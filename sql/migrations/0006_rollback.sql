-- Which published revision was taken back for another, and why. This table only grows.

-- One row per time that "latest" was pointed to another revision by hand. from_digest, to_digest: those of the
-- manifests.
create table rolled_back (
    rollback_no integer not null primary key,
    month varchar not null,
    from_revision integer not null,
    to_revision integer not null,
    from_digest varchar not null,
    to_digest varchar not null,
    reason varchar not null,
    who varchar not null,
    rolled_back_on date not null
);
