-- What is published, as the store knows it, and what was decided and is not carried out yet.

-- Of every revision: the digest of its manifest, the sha256 of the bytes of manifest.json, and the bytes of all its
-- files together. Empty or 0 where the files could not be read when this column was added.
alter table publication add column digest varchar default '';

alter table publication add column manifest_sha256 varchar default '';

alter table publication add column bytes bigint default 0;

-- One row per month that has a current list: the revision that the file "latest" of the month names.
create table current_revision (
    month varchar not null primary key,
    revision integer not null
);

-- One row per change of published files that was decided and is not carried out yet: there is never more than one.
-- what: its name in messages; steps: the paths below the home that move from drafts/ to their places, as JSON.
create table intention (
    what varchar not null,
    steps varchar not null,
    decided_on date not null
);
