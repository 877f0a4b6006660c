-- One row per month and time control with an event rated or a rating computed: what a month came to.
create or replace temp view month_count as
with of_events as (
    select month, time_control, count(*)::integer as events_rated
    from event
    where status = 'rated'
    group by month, time_control
),
of_players as (
    select
        month,
        time_control,
        coalesce(sum(games) filter (status <> 'entered'), 0)::bigint as results_rated,
        count(*) filter (status <> 'entered' and games > 0)::integer as players_rated,
        count(*) filter (status = 'entered')::integer as entered,
        count(*) filter (status in ('delisted', 'lapsed'))::integer as delisted
    from change
    group by month, time_control
)
select
    month,
    time_control,
    coalesce(events_rated, 0) as events_rated,
    coalesce(results_rated, 0) as results_rated,
    coalesce(players_rated, 0) as players_rated,
    coalesce(entered, 0) as entered,
    coalesce(delisted, 0) as delisted
from of_events full join of_players using (month, time_control);
