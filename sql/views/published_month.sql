-- One row per month that this home has published.
create or replace temp view published_month as
select distinct month from publication;
