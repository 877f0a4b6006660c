-- ask: Is it right that more than {changed_data_per_thousand} in a thousand listed players, and at least
-- {changed_data_players}, changed federation or sex since the list before?
-- when: publish
with before as (
    select max(month) as month from earlier where is_newest
),
-- the newest import that the list before knew in its last calculation as the newest list
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
-- nearly all players have one version of their data, mostly of the first import, which cannot have changed
later as (
    select fide_id from player where source_no > (select min(source_no) from player)
),
several as (
    select fide_id from player semi join later using (fide_id) group by fide_id having count(*) > 1
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
    from was
    join (select * from known_player semi join several using (fide_id)) as known_player using (fide_id)
    semi join (
        select fide_id from list_state semi join several using (fide_id) where month = $month and rating is not null
    ) as listed using (fide_id)
    -- what was blank and is filled in has not changed
    where was.federation not in ('', known_player.federation) or was.sex not in ('', known_player.sex)
),
changed as (
    select count(*)::integer as players_changed from somebody_else
),
counted as (
    select any_value(players_changed) as players_changed, count(distinct fide_id)::integer as players_listed
    -- where too few changed to raise the question, the players are not counted
    from list_state join changed on players_changed >= $changed_data_players
    where month = $month and rating is not null
)
select somebody_else.*, players_changed, players_listed
from somebody_else cross join counted
where players_changed >= $changed_data_players and 1000::hugeint * players_changed > $changed_data_per_thousand::hugeint * players_listed
order by fide_id
