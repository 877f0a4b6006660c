-- Everybody on a list or among the unrated of a month whom no later month has.
create table if not exists person (
    fide_id bigint, name varchar, federation varchar, sex varchar, title varchar, women_title varchar,
    other_titles varchar, birth_year int
);

create or replace temp table of_month as
select distinct on (fide_id) fide_id, name, federation, sex, title, women_title, other_titles, birth_year
from lists anti join (select fide_id from person where title is not null) using (fide_id);

update person set
    sex = earlier.sex, title = earlier.title, women_title = earlier.women_title, other_titles = earlier.other_titles,
    birth_year = earlier.birth_year
from of_month as earlier where person.fide_id = earlier.fide_id and person.title is null;

insert into person from of_month anti join person using (fide_id);

insert into person (fide_id, name, federation)
select distinct on (fide_id) fide_id, name, federation from unrated anti join person using (fide_id);
