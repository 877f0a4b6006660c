-- One row per version of a player's data ever received, with the corrections that count applied. Birth and sex are corrected in every version before the correction; name, federation and titles, which
-- may change, in the versions with the value that was corrected. A later version with that value does not bring it back,
-- because lists often go on sending it; a file that counts from a day (import-players --from) states a change, and does.
create or replace temp view player_version as
with counting as (
    select corrected_data.*, counts.source_no as corrected_by
    from corrected_data
    join counting_correction as counts using (correction_no)
),
wrong as (
    select counting.correction_no, player.name, player.federation, player.sex, player.birth_date, player.birth_year,
        player.title, player.women_title, player.other_titles
    from counting join player on player.fide_id = counting.fide_id and player.source_no < counting.corrected_by
    qualify row_number() over (partition by counting.correction_no order by player.source_no desc) = 1
),
-- The first version that states a corrected value again, as one that has changed since.
stated as (
    select counting.correction_no,
        min(player.source_no) filter (where player.name = wrong.name) as name,
        min(player.source_no) filter (where player.federation = wrong.federation) as federation,
        min(player.source_no) filter (where player.title = wrong.title) as title,
        min(player.source_no) filter (where player.women_title = wrong.women_title) as women_title,
        min(player.source_no) filter (where player.other_titles = wrong.other_titles) as other_titles
    from counting join wrong using (correction_no)
    join player on player.fide_id = counting.fide_id and player.source_no > counting.corrected_by
    semi join (from source_file where counts_from is not null) as of_day using (source_no)
    group by counting.correction_no
),
overlay as (
    select player.fide_id, player.source_no,
        arg_max(counting.name, counting.correction_no)
            filter (where player.name = wrong.name and (player.source_no < stated.name) is not false)
            as name,
        arg_max(counting.federation, counting.correction_no)
            filter (where player.federation = wrong.federation and (player.source_no < stated.federation) is not false)
            as federation,
        arg_max(counting.title, counting.correction_no)
            filter (where player.title = wrong.title and (player.source_no < stated.title) is not false)
            as title,
        arg_max(counting.women_title, counting.correction_no)
            filter (where player.women_title = wrong.women_title and (player.source_no < stated.women_title) is not false)
            as women_title,
        arg_max(counting.other_titles, counting.correction_no)
            filter (where player.other_titles = wrong.other_titles and (player.source_no < stated.other_titles) is not false)
            as other_titles,
        arg_max(counting.sex, counting.correction_no)
            filter (where player.source_no < corrected_by or player.sex = wrong.sex) as sex,
        arg_max({'day': counting.birth_date, 'year': counting.birth_year}, counting.correction_no) filter (
            where counting.birth_year is not null and (
                player.source_no < corrected_by
                or (
                    player.birth_year is not distinct from wrong.birth_year
                    and (player.birth_date is null or player.birth_date is not distinct from wrong.birth_date)
                )
            )
        ) as birth
    from counting
    join wrong using (correction_no)
    left join stated using (correction_no)
    join player on player.fide_id = counting.fide_id
    group by player.fide_id, player.source_no
)
select player.* from player anti join counting using (fide_id)
union all by name
select player.* replace (
    coalesce(overlay.name, player.name) as name,
    coalesce(overlay.federation, player.federation) as federation,
    coalesce(overlay.sex, player.sex) as sex,
    coalesce(overlay.title, player.title) as title,
    coalesce(overlay.women_title, player.women_title) as women_title,
    coalesce(overlay.other_titles, player.other_titles) as other_titles,
    case when overlay.birth is null then player.birth_date else overlay.birth.day end as birth_date,
    case when overlay.birth is null then player.birth_year else overlay.birth.year end as birth_year
)
from player join overlay using (fide_id, source_no);
