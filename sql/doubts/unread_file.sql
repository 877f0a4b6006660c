-- ask: Is the delivery whole, though a file of it could not be read, or is missing though a manifest names it?
-- when: publish
-- remedy: ratinglist run {month} FOLDER
select file, why from not_read order by file
