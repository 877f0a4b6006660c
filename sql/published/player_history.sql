-- One row per player, time control and list with the player: the rating, and that on the player's list before.
with listed as (
    select list_month, time_control, fide_id, name, federation, title, rating, games, k, flag
    from lists
),

compared as (
    select
        *,
        lag(list_month) over one_player as previous_month,
        lag(rating) over one_player as previous_rating
    from listed
    window one_player as (partition by time_control, fide_id order by list_month)
),

histories as (
    select
        list_month,
        time_control,
        fide_id,
        name,
        federation,
        title,
        previous_month,
        previous_rating,
        rating - previous_rating as difference,
        rating,
        games,
        k,
        flag
    from compared
)

select * from histories
