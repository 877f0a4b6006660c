-- note: {file_name} has the games of {other_file}, the event {other_id}, which is on the list of {rated_in} already: it is
-- not rated again, on this list or on a later one. Nothing is to be done, unless it is another event: then its report has
-- the wrong games
-- when: rate
select file_name, other_file, other_id, rated_in from given_again order by file_name
