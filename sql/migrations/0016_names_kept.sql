-- Names of players that an import kept, because its file has them in ASCII alone. Imports of before replaced them.

-- Whether an import kept such a name.
alter table source_file add column if not exists names_kept boolean default false;
