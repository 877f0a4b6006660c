-- Whether an import kept the names of players that its file has in ASCII alone. Imports of before replaced them.

alter table source_file add column names_kept boolean default false;
