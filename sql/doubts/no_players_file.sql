-- ask: Is it right that players of reports are not registered, so that these wait, though no file of players was imported
-- since the list before?
-- when: publish
-- remedy: ratinglist import-players FILE
with waiting as (
    select report_id, file_name from delivered
    where status = 'waiting'
        and not exists (
            from source_file where kind = 'players' and source_no > $after and source_no < $before
        )
)
select count(distinct report_id)::integer as reports, count(distinct fide_id)::integer as players,
    min(file_name) as first_file
from waiting join unregistered using (report_id)
having count(*) > 0
