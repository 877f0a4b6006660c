-- note: events {event_code} ({name}) and {event_code_first} ({name_first}) are one event, which counts once, under
-- {event_code_first}: the code that was received first. Games that differ: {games:,}; the first is {white_id} against
-- {black_id} in round {round}, {result_first} there and {result} under {event_code}. If {event_code} is right, correct it
-- under {event_code_first}
-- when: rate
select event_code, name, event_code_first, name_first, round, white_id, black_id,
    ['0', '½', '1'][white_halves + 1] || '-' || ['0', '½', '1'][black_halves + 1] as result,
    coalesce(
        ['0', '½', '1'][white_halves_first + 1] || '-' || ['0', '½', '1'][black_halves_first + 1], 'no such game'
    ) as result_first,
    count(*) over (partition by event_code, event_code_first) as games
from coincidence where not both_count
qualify row_number() over (partition by event_code, event_code_first order by round, white_id, black_id) = 1
order by event_code, event_code_first
