-- One row per month calculated before another: the newest import it could see of its players while it was the newest
-- list. A month without a row sees every import. See known_player.
create or replace temp view last_source_seen as
with first_later as (
    select this.month, min(later.calculation_no) as first_no
    from (select distinct month from calculation) as this
    join calculation as later on later.month > this.month
    group by this.month
),
seen as (
    select month, last_source from calculation join first_later using (month) where calculation_no < first_no
    union all
    select month, last_source from publication join first_later using (month) where calculations < first_no
)
select month, max(last_source) as last_source from seen group by month;
