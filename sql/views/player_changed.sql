-- One row per FIDE ID of whose player there may be several versions: those that any but the largest file speaks of. A
-- file names no player twice and most players are never named again, so that few rows have to be sorted.
create or replace temp view player_changed as
select distinct fide_id from player where source_no <> (select arg_max(source_no, rows) from source_file);
