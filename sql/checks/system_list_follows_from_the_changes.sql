-- The list is the list before with the calculated changes: a player who entered is on it with the new rating, a player who
-- left it is not, and every other player keeps the rating.
-- For other systems than FIDE's only.
with old as (
    select earlier_list.fide_id, rating
    from earlier_list join earlier using (list_no)
    where earlier_list.is_newest and time_control in (select time_control from list_rule) and rating is not null
),
new as (
    select fide_id, rating from list_state
    where month = $month and time_control in (select time_control from list_rule) and rating is not null
),
computed as (
    select fide_id, status, old_rating, new_rating, change from change where month = $month
),
compared as (
    select
        fide_id,
        computed.status,
        old.rating as rating_before,
        computed.old_rating,
        computed.change,
        computed.new_rating,
        new.rating,
        case when computed.status is null then old.rating else computed.new_rating end as rating_due,
        case
            when old.rating is null then computed.status is null or computed.status in ('entered', 'lapsed')
            else computed.status is null or computed.status in ('rated', 'lapsed')
        end as is_status_possible
    from old full join new using (fide_id) full join computed using (fide_id)
)
select * exclude (is_status_possible)
from compared
where rating is distinct from rating_due
    or not is_status_possible
    or (status is not null and old_rating is distinct from rating_before)
    or (status = 'rated' and change is distinct from new_rating - old_rating);
