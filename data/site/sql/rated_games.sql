-- How many games of a month are rated for one of the players or both: half of the rated results.
select count(*) // 2 from games where month = getvariable('month') and rated;
