-- note: {fide_id} {name} is {now_id} {now_name} since a merge: what the file changes of {fide_id} is on no list. If it is
-- right, import it with {now_id} in the place of {fide_id}; if these are two people, undo the merge
-- when: import-players import-list
--
-- A membership is the person's, whichever FIDE ID it is stated of.
select fide_id, player.name, now_id, person.name as now_name
from player join current_identity using (fide_id) join registered_person as person on person.fide_id = now_id
where player.source_no = $source
order by fide_id
