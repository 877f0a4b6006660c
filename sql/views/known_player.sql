-- All players as the list of a month knows them: the data known while it was the newest list (store/inputs.py, players_of).
create or replace temp macro known_player(of_month) as table
with newest as (
    select max(last_source) as last_source from last_source_seen where month = of_month
),
reached as (
    select new_id as fide_id from counting_correction where new_id is not null
    union
    select fide_id from report_player join report using (report_no) semi join (
        select report_id from corrected_report semi join counting_correction using (correction_no)
        where replaces_id is not null
    ) as brought using (report_id)
),
source as (
    select source_no, last_source is null or source_no <= last_source as in_time
    from source_file, newest
    where counts_from is null or counts_from <= of_month
),
allowed as (
    select player.*, in_time from player_version as player join source using (source_no)
    where in_time or fide_id in (from reached)
)
-- Nearly all players have one version: only the rows of the others are sorted.
select * from allowed anti join player_changed using (fide_id)
union all
select * from allowed semi join player_changed using (fide_id)
qualify row_number() over (
    partition by fide_id order by in_time desc, case when in_time then source_no else -source_no end desc
) = 1;
