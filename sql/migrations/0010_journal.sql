-- What changed this store, so that it can be rebuilt from the originals in the archive. This table only grows.

-- One row per change of the store, in order: the entry as JSON, as its copy under HOME/archive/journal has it.
create table journal (
    entry_no integer not null primary key,
    entry varchar not null
);
