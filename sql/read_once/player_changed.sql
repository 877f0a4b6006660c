-- One row per FIDE ID of whose player there may be several versions: those that any file speaks of but the one
-- with most players. It names no player twice and most players are never named again, so that few rows have to be sorted.
select distinct fide_id from player
where source_no <> (select source_no from player group by source_no order by count(*) desc, source_no limit 1)
