-- note: events {event_code} ({name}) and {event_code_first} ({name_first}) have games that look alike, with one result:
-- {games:,}, the first of {white_id} and {black_id} in round {round} on {date}. They have too little in common to be one
-- event, so both count. If they are one, withdraw either (ratinglist correct withdraw)
-- when: rate
select event_code, name, event_code_first, name_first, round, white_id, black_id, date,
    count(*) over (partition by event_code, event_code_first) as games
from coincidence where both_count
qualify row_number() over (partition by event_code, event_code_first order by round, white_id, black_id) = 1
order by event_code, event_code_first
