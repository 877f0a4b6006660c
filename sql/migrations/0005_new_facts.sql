-- What corrections say of players' data, laid over every version that was received. This table only grows.

-- One row per correction of a player's data. An empty cell is not corrected; with no birth_year the birth is not, with
-- one and no birth_date only the year is known.
create table corrected_data (
    correction_no integer not null primary key,
    fide_id bigint not null,
    name varchar,
    federation varchar,
    sex varchar,
    birth_date date,
    birth_year integer
);

-- A correction's row among what was received, from before this table was: all of it is what the correction said.
insert into corrected_data
select correction.correction_no, player.fide_id, player.name, player.federation, player.sex, player.birth_date,
    player.birth_year
from correction
join player on player.source_no = correction.source_no and player.fide_id = correction.fide_id
where correction.action = 'change_data';

delete from player where source_no in (select source_no from source_file where kind = 'corrections');

-- The first list that a correction could move when it was made; empty where none was calculated, or not known.
alter table correction add column first_month varchar default '';

-- The rule files a calculation followed, each with its digest, as in the row of calculation, which the next one replaces.
alter table calculation_made add column rule_sets varchar default '[]';

update calculation_made
set rule_sets = calculation.rule_sets
from calculation
where calculation.month = calculation_made.month and calculation.calculation_id = calculation_made.calculation_id;
