-- How many players have a page.
select count(*) from person;
