-- Lists of another federation that a family looks at: the national Elo of Italy ends where a FIDE rating exists.

-- One row per player rated on an imported reference list.
create table reference_list (
    month varchar not null,
    fide_id bigint not null,
    rating integer not null,
    source_no integer not null
);
