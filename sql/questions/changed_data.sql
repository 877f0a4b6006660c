-- Are so many people of another federation, or sex, than on the list before? More than {changed_data_per_thousand} in a
-- thousand of those listed, and at least {changed_data_players}.
with before as (
    select max(month) as month from earlier_list where is_newest
),
-- the newest import that the list before knew while it was the newest list
known_then as (
    select coalesce(
        (
            select max(last_source)
            from calculation_made
            where month = (select month from before)
                and calculation_no < coalesce(
                    (select min(calculation_no) from calculation_made where month > (select month from before)), 2147483647
                )
        ),
        (select max(source_no) from source_file where kind = 'list' and month = (select month from before)),
        0
    ) as source_no
),
listed as (
    select distinct fide_id from list_state where month = $month and rating is not null
),
-- nearly everybody has one version of his data only, and it cannot have changed
several as (
    select fide_id from player group by fide_id having count(*) > 1
),
was as (
    select fide_id, arg_max(federation, source_no) as federation, arg_max(sex, source_no) as sex
    from player semi join several using (fide_id)
    where source_no <= (select source_no from known_then)
    group by fide_id
),
somebody_else as (
    select fide_id, known_player.name, was.federation as federation_before, known_player.federation,
        was.sex as sex_before, known_player.sex
    from was join known_player using (fide_id) semi join listed using (fide_id)
    where was.federation <> known_player.federation or was.sex <> known_player.sex
),
counted as (
    select
        (select count(*) from somebody_else)::integer as players_changed,
        (select count(*) from listed)::integer as players_listed
)
select somebody_else.*, players_changed, players_listed
from somebody_else cross join counted
where players_changed >= $changed_data_players and 1000::hugeint * players_changed > $changed_data_per_thousand::hugeint * players_listed
order by fide_id;
