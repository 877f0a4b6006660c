-- The reports of an event and version of which one that is loaded now (sent) has other games: a row for each pair, with the
-- number of games that differ, the first of them, and the published list that has rated the other report (rated_in).
-- Compared are accepted reports in which a player has a game in one round: those of two slices have none.
with pair as (
    select this.report_no, other.report_no as rival_no, this.file_name, this.event_id, this.version,
        this.loaded_no, other.file_name as rival
    from report as this semi join sent using (report_id)
    join report as other using (event_id, version)
    where this.accepted and other.accepted and this.games_digest <> other.games_digest
        and this.time_control <> '' and other.time_control <> '' and other.report_no < this.report_no
),
game as (
    select report_no, round, white_id, black_id,
        ['0', '½', '1'][white_halves + 1] || '-' || ['0', '½', '1'][black_halves + 1] as result
    from report_game
    where report_no in (select report_no from pair union all select rival_no from pair)
),
place as (
    select report_no, round, unnest([white_id, black_id]) as fide_id from game
),
related as (
    select distinct pair.*
    from pair
    join place using (report_no)
    join place as other
        on other.report_no = rival_no and other.round = place.round and other.fide_id = place.fide_id
),
differing as (
    select related.report_no, rival_no, game.round, game.white_id, game.black_id, game.result,
        other.result as rival_result
    from related join game using (report_no) left join game as other
        on other.report_no = rival_no and other.round = game.round
            and other.white_id = game.white_id and other.black_id = game.black_id
    where game.result is distinct from other.result
    union all
    select related.report_no, rival_no, other.round, other.white_id, other.black_id, null, other.result
    from related join game as other on other.report_no = rival_no
    where not exists (
        select 1 from game
        where game.report_no = related.report_no and game.round = other.round
            and game.white_id = other.white_id and game.black_id = other.black_id
    )
)
select file_name, event_id, version, loaded_no, rival, round, white_id, black_id,
    coalesce(result, 'no game') as result, coalesce(rival_result, 'no game') as rival_result, version + 1 as next_version,
    count(*) over (partition by report_no, rival_no) as games,
    if(games = 1, 'game differs', 'games differ') as differ,
    (
        select max(event.month)
        from event join report using (report_id) join current_revision using (month)
        where report.report_no = rival_no and event.status = 'rated'
    ) as rated_in
from related join differing using (report_no, rival_no)
qualify row_number() over (partition by report_no, rival_no order by round, white_id, black_id) = 1
