-- The hundred largest differences, whatever their sign.
select * from compared where difference <> 0 order by abs(difference) desc, fide_id limit 100
