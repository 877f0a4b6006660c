-- One row per player line of an accepted report whose FIDE ID is not registered.
select report_id, fide_id from unknown_player
