-- One row per person of a club: the newest version of the membership, whichever FIDE ID of the person it was stated of.
create or replace temp view membership_now as
with newest as (
    select coalesce(now_id, membership.fide_id) as fide_id, club, member_until
    from membership left join current_identity on current_identity.fide_id = membership.fide_id
    qualify row_number() over (
        partition by coalesce(now_id, membership.fide_id)
        order by source_no desc, (now_id is null) desc, membership.fide_id
    ) = 1
)
select * from newest where club <> '';
