-- One row per list, time control and reason why results were not rated. A game is two results, one per player.
with unrated_results as (
    select list_month, time_control, reason, event_id, fide_id
    from games
    where not rated
),

counted as (
    select
        list_month,
        time_control,
        reason,
        count(*) as results,
        count(distinct fide_id) as players,
        count(distinct event_id) as events
    from unrated_results
    group by list_month, time_control, reason
)

select * from counted
