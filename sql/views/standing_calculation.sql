-- One row per current calculation that counts: all but those of a withdrawn list that has the same figures. The
-- lists after a withdrawn list are calculated as if its month had no list.
create or replace temp view standing_calculation as
with withdrawn as (
    select distinct made.month, made.calculation_id
    from withdrawn_revision
    join withdrawn_month on withdrawn_month.month = withdrawn_revision.month
    join publication
        on publication.month = withdrawn_revision.month and publication.revision = withdrawn_revision.revision
    join calculation_made as made on made.calculation_no = publication.calculation_no
)
select * from calculation anti join withdrawn using (month, calculation_id);
