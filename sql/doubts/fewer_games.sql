-- ask: Is it right that {event_id} has fewer games, or fewer rounds, in version {version} than in version
-- {version_before}?
-- when: publish
-- remedy: ratinglist correct withdraw {event_id} --because "..." --by NAME
--
-- A new version replaces the one before: of half a report, the other half of the games is on no list. The rows are the
-- games that are gone. If the new version is wrong, the whole report is delivered as the version that follows.
with of_month as (
    select report.* from event join report using (report_id) where event.month = $month and event.status = 'rated'
),
before as (
    select of_month.event_id, of_month.report_no, arg_max(report, report.version) as report
    from of_month join (from report anti join dismissed_report using (report_id)) as report using (event_id)
    where report.accepted and report.version < of_month.version
    group by of_month.event_id, of_month.report_no
),
smaller as (
    select of_month.event_id, of_month.version, before.report.version as version_before, of_month.games,
        before.report.games as games_before, of_month.report_no, before.report.report_no as report_before
    from of_month join before using (report_no)
    where of_month.games < before.report.games or coalesce(of_month.last_round, 0) < before.report.last_round
),
gone as (
    select smaller.*, game.round, white_id, black_id
    from smaller join report_game as game on game.report_no = smaller.report_before
    anti join report_game as kept
        on kept.report_no = smaller.report_no and kept.round = game.round and kept.white_id = game.white_id
            and kept.black_id = game.black_id
)
select event_id, version, version_before, games, games_before, round, white_id, black_id
from smaller left join gone using (event_id, version, version_before, games, games_before)
order by all
