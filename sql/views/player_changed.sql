-- One row per FIDE ID of whose player there may be several versions: those that any but the largest file speaks of. A
-- file speaks of nobody twice and most players are never spoken of again, so that few have to be put in order.
create or replace temp view player_changed as
select distinct fide_id from player where source_no <> (select arg_max(source_no, rows) from source_file);
