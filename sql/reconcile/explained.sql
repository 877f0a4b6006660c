-- One row per row of `differing`, with its cause: a reading of the rules, or an event. The cause that explains most
-- players is the likeliest for each of them; of two, the first of `cause`.
with player as (
    select fide_id, ours.rating, coalesce(ours.games, 0) as games, theirs.rating as official_rating,
        theirs.k as official_k,
        case when theirs.fide_id is null and list_contains($compared, 'games') then 0 else theirs.games end
            as official_games
    from (select distinct fide_id from differing where "column" in ('rating', 'games', 'k'))
    left join ours using (fide_id) left join theirs using (fide_id)
),
fitting as (
    select fide_id, 'rating' as explains, possible.cause, possible.detail
    from possible join player using (fide_id)
    where possible.rating is not distinct from official_rating and coalesce(possible.games = official_games, true)
        and (player.rating is distinct from official_rating or coalesce(player.games <> official_games, false))
    union all
    select fide_id, 'k', cause, detail
    from possible join player using (fide_id) where possible.k = official_k
),
by_cause as (
    select fide_id, explains, cause, min(detail) as detail, count(*) over (partition by explains, cause) as explained
    from fitting group by fide_id, explains, cause
),
reading as (
    select fide_id, explains, list(cause order by explained desc, place) as causes,
        first(detail order by explained desc, place) as detail
    from by_cause join cause using (cause)
    group by fide_id, explains
),
-- What no reading explains: the official list counts more games, or fewer, and the rating could have moved so far.
uncounted as (
    select fide_id, official_games - games as more
    from player anti join (from reading where explains = 'rating') using (fide_id)
    where games <> official_games and coalesce(abs(official_rating - rating) <= $most * abs(more), true)
),
candidate as (
    select fide_id, format('{} ({})', event_id, concat_ws(': ', event.status::varchar, sentence.says)) as event,
        case when more > 0 then count(*) else count(*) filter (rated) end = abs(more) as fits
    from uncounted join game using (fide_id) join event using (event_id)
    left join sentence on sentence.reason = event.reason
    group by fide_id, more, event_id, event.status, sentence.says
    having case when more > 0 then event.status <> 'rated' else count(*) filter (rated) > 0 end
),
-- The events with exactly the missing number of games, else all that are possible.
likely as (
    select fide_id, event from candidate qualify fits or not bool_or(fits) over (partition by fide_id)
),
of_event as (
    select fide_id, coalesce(string_agg(event, '; ' order by event), '') as detail,
        case when more < 0 then 'extra_event' when detail <> '' then 'missing_event' else 'event_not_received' end
            as cause
    from uncounted left join likely using (fide_id)
    group by fide_id, more
),
-- The player's data as the store knew them on another day.
version_value as (
    select distinct fide_id, "column", value
    from (from version semi join differing using (fide_id))
    unpivot (value for "column" in (name, federation, sex, title, women_title))
),
caused as (
    select differing.*,
        coalesce(
            of_event.cause,
            reading.causes[1],
            case when is_respelt then 'transliteration' when version_value.value is not null then 'another_version' end,
            ''
        ) as cause,
        coalesce(of_event.detail, reading.detail, '') as detail,
        coalesce(array_to_string(reading.causes[2:], ','), '') as also
    from differing
    left join of_event on of_event.fide_id = differing.fide_id and "column" in ('rating', 'games', 'k', 'flag')
    left join reading on reading.fide_id = differing.fide_id
        and explains = case when "column" in ('rating', 'games', 'flag') then 'rating' else "column" end
        and of_event.fide_id is null
    left join version_value on version_value.fide_id = differing.fide_id
        and version_value."column" = differing."column" and version_value.value = differing.official
)
select * exclude (is_respelt),
    case when cause = '' then 'unexplained' when cause in (select cause from of_event) then 'event' else 'reading' end
        as class
from caused
