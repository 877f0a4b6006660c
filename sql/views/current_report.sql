-- One row per report as corrected: without those that another has replaced; that one was received when they were.
create or replace temp view current_report as
with counting as (
    select corrected_report.* from corrected_report semi join correction_now using (correction_no)
),
replaced as (
    select distinct replaces_id as report_id from counting where replaces_id is not null
),
-- what came as a replacement counts as nothing else
replacing as (
    select distinct report_id from corrected_report where replaces_id is not null
),
in_place as (
    select report_id, min(received_on) as received_on from counting where replaces_id is not null group by report_id
),
withdrawn as (
    select distinct report_id from counting where withdrawn
),
not_played as (
    select report_id, count(*) as games from corrected_game_now where white_halves is null group by report_id
)
select
    report.* replace (
        coalesce(in_place.received_on, report.received_on) as received_on,
        (report.games - coalesce(not_played.games, 0))::integer as games
    ),
    withdrawn.report_id is not null as withdrawn
from report_now as report
anti join replaced using (report_id)
left join replacing using (report_id)
left join in_place using (report_id)
left join withdrawn using (report_id)
left join not_played using (report_id)
where replacing.report_id is null or in_place.report_id is not null;
