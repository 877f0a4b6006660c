-- One row per month that this home has published and not withdrawn.
create or replace temp view published_month as
select distinct month from publication anti join withdrawn_month using (month);
