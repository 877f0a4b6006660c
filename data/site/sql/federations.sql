-- The federations of the players on the newest lists.
select distinct federation from lists
where month = getvariable('month') and regexp_full_match(federation, '[A-Z]{3}') order by federation;
