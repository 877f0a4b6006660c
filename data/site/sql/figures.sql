-- The figures of a month by time control.
with listed as (
    select
        time_control,
        count(*) as players,
        count(*) filter (is_active(flag)) as active,
        mean_hundredths(sum(rating), count(*)) as mean,
        mean_hundredths(list_sum(max(rating, 100)), len(max(rating, 100))) as top
    from lists where month = getvariable('month') group by time_control
),
of_k as (
    select time_control, k, count(*) as players
    from lists where month = getvariable('month') and k is not null group by time_control, k
),
ks as (
    select time_control, list({k: k, players: players} order by k desc) as ks from of_k group by time_control
),
changed as (
    select
        time_control,
        count(*) filter (status <> 'entered' and games > 0) as moved,
        sum(change) filter (status <> 'entered' and games > 0) as points,
        count(*) filter (status = 'entered') as entered,
        sum(new_rating) filter (status = 'entered') as entered_sum,
        count(*) filter (status = 'delisted') as removed,
        sum(old_rating) filter (status = 'delisted') as removed_sum
    from changes where month = getvariable('month') group by time_control
)
select
    listed.*, coalesce(ks, []) as ks,
    coalesce(moved, 0) as moved, coalesce(points, 0)::int as points, mean_hundredths(points, moved) as mean_change,
    coalesce(entered, 0) as entered, mean_hundredths(entered_sum, entered) as entered_mean,
    coalesce(removed, 0) as removed, mean_hundredths(removed_sum, removed) as removed_mean
from listed left join ks using (time_control) left join changed using (time_control)
order by control_number(time_control);
