-- The clubs of players who have a page, with the number of the page of each club; capital and small letters make no two.
create table clubs as
select fide_id, club, dense_rank() over (order by lower(club))::int as page
from club_members semi join person using (fide_id);
