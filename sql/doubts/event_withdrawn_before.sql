-- ask: Is it right that {event_id} is rated, though it has {same:,} of the {games:,} games of {other_id}, which was
-- withdrawn on {reported_on}?
-- when: publish
-- remedy: ratinglist correct withdraw {event_id}
--
-- The event may have come again under its code, as a new version, or under another one.
with withdrawn as (
    select report.*, correction.reported_on, correction.source_no
    from corrected_report join report using (report_id) join correction_now as correction using (correction_no)
    where corrected_report.withdrawn
),
pair as (
    select event.event_id, report.report_no, withdrawn.event_id as other_id, withdrawn.report_no as other_no,
        withdrawn.reported_on, withdrawn.games
    from event join report using (report_id)
    join withdrawn on report.loaded_no > withdrawn.source_no
    where event.month = $month and event.status = 'rated'
)
select event_id, other_id, reported_on, games, count(*) as same
from pair
join report_game as game on game.report_no = pair.report_no
join report_game as other on other.report_no = other_no
    and (other.round, other.white_id, other.black_id) = (game.round, game.white_id, game.black_id)
group by all
having 2 * same > games
order by event_id, other_id
