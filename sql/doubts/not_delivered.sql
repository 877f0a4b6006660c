-- ask: Is the delivery whole, though manifest.csv names reports that were not in it?
-- when: publish
-- remedy: ratinglist run {month} FOLDER
select file from absent order by file
