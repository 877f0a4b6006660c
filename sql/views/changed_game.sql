-- One row per game in which an accepted report differs from the version before: a game that is new, gone (its result is
-- null), or has another result.
create or replace temp view changed_game as
with replaced as (
    select this.report_id, this.report_no, max_by(other.report_no, other.version) as report_before
    from report as this join report as other using (event_id, start_date)
    where this.accepted and other.accepted and other.version < this.version
    group by this.report_id, this.report_no
),
game as (
    select report_no, round, white_id, black_id,
        ['0', '½', '1'][white_halves + 1] || '-' || ['0', '½', '1'][black_halves + 1] as result
    from report_game
)
select report_id, round, white_id, black_id, before.result as result_before, now.result
from (from replaced join game using (report_no)) as now
full join (from replaced join game on game.report_no = report_before) as before
    using (report_id, round, white_id, black_id)
where now.result is distinct from before.result;
