-- Why a player's row differs between two calculations of a list: a step for each of the five causes.
-- The tables that this reads are those of `find` in corrections/causes.py.

create macro code_of(event) as split_part(split_part(event, '/', 1), '#', 1);
create macro rounded(hundredths) as sign(hundredths) * ((abs(hundredths) + 50) // 100);
create macro rating_text(rating) as coalesce(rating::varchar, 'unrated');
create macro half(score) as case score when 0 then '0' when 1 then '½' when 2 then '1' end;
-- The sentence for a rating used: the list that gave it, whether the standard rating stands in, and the two ratings.
create macro rating_sentence(month, stands_in, was, now) as case
    when month is null then 'rating used corrected from ' || rating_text(was) || ' to ' || rating_text(now)
    when stands_in then 'standard rating that stands in, of the ' || month || ' list, corrected from '
        || rating_text(was) || ' to ' || rating_text(now)
    when now is null then 'removed from the ' || month || ' list'
    else 'rating on the ' || month || ' list corrected to ' || now
end;

-- ---------------------------------------------------------------- what differs, and which correction reaches it

-- One row per side of a game with any difference.
create temp table compared as
with was as (
    select time_control, event_id, round, fide_id, opponent_id, score_halves, rating, opponent_rating,
        expected_hundredths, k, change_hundredths, rule_set, rated, reason, true as was_there
    from before_game
),
now as (
    select time_control, event_id, round, fide_id, opponent_id as opponent_id_new, score_halves as score_halves_new,
        rating as rating_new, opponent_rating as opponent_rating_new, expected_hundredths as expected_hundredths_new,
        k as k_new, change_hundredths as change_hundredths_new, rule_set as rule_set_new, rated as rated_new,
        reason as reason_new, true as is_there
    from after_game
)
select
    *,
    was_there is null as is_added,
    is_there is null as is_removed,
    is_added or is_removed as is_on_one_side,
    not is_on_one_side and (opponent_id is distinct from opponent_id_new
        or score_halves is distinct from score_halves_new) as is_played_otherwise,
    reason is distinct from reason_new or rule_set is distinct from rule_set_new as is_judged_otherwise,
    coalesce(reason = 'withdrawn', false) <> coalesce(reason_new = 'withdrawn', false) as is_withdrawal,
    coalesce(rated or reason = 'counts_for_entry', false) as counted,
    coalesce(rated_new or reason_new = 'counts_for_entry', false) as counted_new
from was full join now using (time_control, event_id, round, fide_id)
where is_on_one_side or is_played_otherwise or is_judged_otherwise
    or rating is distinct from rating_new or opponent_rating is distinct from opponent_rating_new
    or expected_hundredths is distinct from expected_hundredths_new or k is distinct from k_new
    or change_hundredths is distinct from change_hundredths_new or rated is distinct from rated_new;

-- The narrower a correction matches, the sooner it is the one: a result before a whole report.
create temp table reached as
select time_control, side.event_id, side.round, side.fide_id, correction_no
from compared as side
join touched on touched.event_id = code_of(side.event_id) or touched.action = 'merge'
where case
    when is_withdrawal or action = 'withdraw_event' then is_withdrawal and action = 'withdraw_event'
    when action = 'change_result' then touched.round = side.round
        and (list_contains([side.fide_id, opponent_id, opponent_id_new], white_id)
            or list_contains([side.fide_id, opponent_id, opponent_id_new], black_id))
    when action in ('change_player', 'merge') then
        list_contains([side.fide_id, opponent_id, opponent_id_new], touched.fide_id)
        or list_contains([side.fide_id, opponent_id, opponent_id_new], new_id)
    else action in ('replace_report', 'change_report')
end
qualify row_number() over (
    partition by time_control, side.event_id, side.round, side.fide_id
    order by list_position(
        ['withdraw_event', 'change_result', 'change_player', 'merge', 'change_report', 'replace_report'], action
    ), decided_no desc
) = 1;

-- One row per side that adds something else to a rating, or to a first rating.
create temp table side as
select
    compared.*, correction_no, strftime(start_date, '%Y-%m') as start,
    change_hundredths_new - change_hundredths as part,
    is_played_otherwise or is_on_one_side or is_withdrawal as is_played,
    -- A game of an event that is not rated has no ratings, and they did not change where it is rated now.
    not is_on_one_side and not is_played_otherwise and coalesce(is_rated_in_both, true) as has_ratings,
    has_ratings and rating is distinct from rating_new as has_other_rating,
    has_ratings and opponent_rating is distinct from opponent_rating_new as has_other_opponent,
    not (is_played or has_other_rating or has_other_opponent) as is_rest,
    -- Another K alone may have other causes.
    is_rest and time_control in (select time_control from rule_file)
        and (expected_hundredths is distinct from expected_hundredths_new or is_judged_otherwise) as is_by_rules,
    'round ' || round || ' of ' || event_id || ': ' as place
from compared
left join reached using (time_control, event_id, round, fide_id)
left join (
    select event_id, after_event.start_date,
        before_event.status = 'rated' and after_event.status = 'rated' as is_rated_in_both
    from after_event left join before_event using (event_id)
) as event using (event_id)
where (counted or counted_new) and (
    counted <> counted_new or is_on_one_side or is_played_otherwise or case
        when reason = 'counts_for_entry' and reason_new = 'counts_for_entry'
        then opponent_rating is distinct from opponent_rating_new
        -- Of a system that has none of these columns, every side with a difference may add something else.
        else coalesce(expected_hundredths, expected_hundredths_new, change_hundredths, change_hundredths_new) is null
            or expected_hundredths is distinct from expected_hundredths_new
            or change_hundredths is distinct from change_hundredths_new or k is distinct from k_new
    end
);

-- Players with another K on a side, whose games add something else.
create temp table coefficient as
select distinct time_control, fide_id
from side semi join (from player where sum_differs) using (time_control, fide_id)
where k <> k_new;

-- What each player brings from the list before, where it differs.
create temp table brought as
select
    time_control, fide_id,
    any_value(rating) as rating_before,
    bool_or(old_rating is distinct from rating) as rating_moved,
    bool_or(k_moved) as base_k_moved, bool_or(games_moved) as base_games_moved, bool_or(pool_moved) as base_pool_moved,
    bool_or(hundredths_moved) as base_hundredths_moved
from moved where month = (select base from this)
group by all;

create temp table behind as
select
    player.*, rating_before,
    base is distinct from base_new as has_other_base,
    coalesce(rating_moved, false) as rating_moved, coalesce(base_k_moved, false) as base_k_moved,
    coalesce(base_games_moved, false) as base_games_moved, coalesce(base_pool_moved, false) as base_pool_moved,
    coalesce(base_hundredths_moved, false) as base_hundredths_moved,
    exists (
        from coefficient where (time_control, fide_id) = (player.time_control, player.fide_id)
    ) as has_other_k
from player left join brought using (time_control, fide_id);

-- One row per player and cause: the order of the cause, its sentence, and what is at the end of the chain.
create temp table cause (
    time_control varchar, fide_id bigint, number tinyint, because varchar, correction_no integer, rule_file varchar
);

-- ------------------------------------------------------------------------------------------- 1: the player's own game

create temp table verdict as
select * from side
where is_rest and not is_by_rules and is_judged_otherwise
    and not exists (
        from side as other where other.is_played
            and (other.time_control, other.fide_id, other.event_id) = (side.time_control, side.fide_id, side.event_id)
    )
    -- A verdict on a tranche follows from its other results, and from the results that wait.
    and not exists (
        from behind where base_pool_moved and (time_control, fide_id) = (side.time_control, side.fide_id)
    );

-- The games of an event counted elsewhere, or count elsewhere now: a correction of another event of the player is behind
-- it. Else it is a correction of the event; else a participant whose rating moved.
create temp table verdict_origin as
with duplicate as (
    select * from verdict where reason in ('same_game', 'same_games') or reason_new in ('same_game', 'same_games')
),
other as (
    select * from verdict anti join duplicate using (time_control, event_id, round, fide_id)
),
participant as (
    select distinct event.event_id, moved.correction_no, moved.rule_file
    from (select distinct event_id, start from other) as event
    join (select distinct event_id, fide_id from after_game) as game using (event_id)
    join moved on moved.fide_id = game.fide_id and moved.month <= event.start
    where moved.old_rating is distinct from moved.rating
)
select time_control, event_id, round, duplicate.fide_id, elsewhere.correction_no, null::varchar as rule_file
from duplicate join (
    select distinct game.fide_id, touched.correction_no
    from (
        select fide_id, event_id from before_game union select fide_id, event_id from after_game
    ) as game
    join touched on touched.event_id = code_of(game.event_id) and touched.action <> 'change_result'
) as elsewhere using (fide_id)
union all
select time_control, event_id, round, fide_id, correction_no, null from other where correction_no is not null
union all
select time_control, event_id, round, fide_id, participant.correction_no, participant.rule_file
from other join participant using (event_id) where other.correction_no is null;

insert into cause
with changed as (
    select time_control, event_id, round, fide_id, correction_no, null as rule_file from side where is_played
    union all
    select time_control, event_id, round, fide_id, origin.correction_no, origin.rule_file
    from verdict left join verdict_origin as origin using (time_control, event_id, round, fide_id)
),
told as (
    select
        *,
        case when reason = '' then 'rated' else 'not rated (' || coalesce(was.sentence, reason) || ')' end as verdict_was,
        case when reason_new = '' then 'rated' else 'not rated (' || coalesce(now.sentence, reason_new) || ')' end
            as verdict_now
    from side
    left join reason_sentence as was on was.code = reason
    left join reason_sentence as now on now.code = reason_new
)
select
    time_control, fide_id, 1,
    place || case
        when is_removed then 'game removed'
        when is_added then 'game added'
        when is_withdrawal then verdict_now || ', was ' || verdict_was
        when score_halves is distinct from score_halves_new
        then 'result corrected from ' || half(score_halves) || ' to ' || half(score_halves_new)
        when opponent_id is distinct from opponent_id_new
        then 'opponent corrected from ' || opponent_id || ' to ' || opponent_id_new
        when reason is distinct from reason_new then verdict_now || ', was ' || verdict_was
        else 'rated by ' || coalesce(rule_set_new, 'no rule set') || ', was rated by '
            || coalesce(rule_set, 'no rule set')
    end,
    changed.correction_no, changed.rule_file
from changed join told using (time_control, event_id, round, fide_id)
semi join (from player where sum_differs) using (time_control, fide_id);

-- ---------------------------------------------------------------------------------- 2: what an earlier list hands on

insert into cause
with named as (
    select
        *,
        rating_moved and has_other_base as by_rating,
        base_k_moved and has_other_k and (base_games_moved or rating_moved) as by_k,
        base_games_moved and (k_differs or flag_differs or games_moved) as by_games,
        base_pool_moved and (pool_moved or entry_differs) as by_pool,
        base_hundredths_moved and hundredths_differ and not by_rating as by_hundredths
    from behind
)
select
    time_control, fide_id, 2,
    case
        when by_rating and rating_before is null then 'removed from the ' || base_month || ' list'
        when by_rating then 'rating on the ' || base_month || ' list corrected to ' || rating_before
        when by_pool then 'results that wait since the ' || base_month || ' list, or before, corrected'
        when by_hundredths then 'figures next to the rating on the ' || base_month || ' list corrected'
        else 'games counted up to the ' || base_month || ' list corrected'
    end,
    origin.correction_no, origin.rule_file
from named
join (
    select distinct time_control, fide_id, month as base_month, correction_no, rule_file
    from moved where month = (select base from this)
) as origin using (time_control, fide_id)
where by_rating or by_k or by_games or by_pool or by_hundredths;

-- Ratings used that differ: of a player on a side, of the opponent, and the base of a change where the standard rating
-- stands in.
create temp table used as
select
    'own' as whose, time_control, fide_id, event_id, round, fide_id as player, rating as was, rating_new as now,
    start as until, part, '' as place
from side where has_other_rating
union all
select
    'opponent', time_control, fide_id, event_id, round, opponent_id, opponent_rating, opponent_rating_new, start, part,
    place
from side where has_other_opponent
union all
select 'standard', time_control, fide_id, '', 0, fide_id, base, base_new, (select month from this), null, ''
from behind where has_other_base and not rating_moved and time_control <> 'standard';

-- The list on which each of these came to differ, and what is behind it. A move explains a difference where it leads from
-- the one rating to the other; where the standard rating stood in on one side only, it has to have one of the two.
create temp table used_origin as
select distinct
    whose, used.time_control, used.fide_id, event_id, round, month,
    moved.time_control <> used.time_control as stands_in, moved.correction_no, moved.rule_file
from used join moved on moved.fide_id = used.player and moved.month <= used.until
    and moved.time_control in (used.time_control, 'standard')
where moved.old_rating is distinct from moved.rating
    and (moved.old_rating is not distinct from was or moved.rating is not distinct from now)
qualify rank() over (
    partition by whose, used.time_control, used.fide_id, event_id, round
    order by moved.old_rating is distinct from was or moved.rating is distinct from now, stands_in, month desc
) = 1;

insert into cause
select
    time_control, fide_id, 2, rating_sentence(month, true, was, now), correction_no, rule_file
from used join used_origin using (whose, time_control, fide_id, event_id, round)
where whose = 'standard' and stands_in;

-- ----------------------------------------------------------------------------- 3: the opponents; 4: the player's data

-- Opponents whose whole rating is the same, and whose hundredths moved.
insert into cause
select distinct
    game.time_control, game.fide_id, 3,
    'figures next to the rating of opponent ' || opponent_id || ' on the ' || month || ' list corrected',
    moved.correction_no, moved.rule_file
from after_game as game
semi join (from player where hundredths_differ) using (time_control, fide_id)
join moved on moved.time_control = game.time_control and moved.fide_id = game.opponent_id
where game.rated and month = (select base from this) and hundredths_moved
    and moved.old_rating is not distinct from moved.rating;

insert into cause
with named as (
    select
        time_control, fide_id, comes_or_goes, changed,
        coalesce(data_changed, 'player data changed: data that the list does not show') as because,
        list_transform(changed, lambda name: if(name = 'birth_year', 'birth', name))
            || if(k_differs or has_other_k or k_moved, ['birth'], []) as data
    from behind
),
newest as (
    select *
    from (
        select fide_id, unnest(data) as data, correction_no, decided_no from touched where action = 'change_data'
    )
    qualify row_number() over (partition by fide_id, data order by decided_no desc) = 1
),
merged as (
    select id as fide_id, correction_no
    from (select unnest([fide_id, new_id]) as id, correction_no, decided_no from touched where action = 'merge')
    qualify row_number() over (partition by id order by decided_no desc) = 1
),
corrected as (
    select time_control, fide_id, because, correction_no
    from named join newest using (fide_id) where list_contains(named.data, newest.data)
    union
    select time_control, fide_id, because, correction_no
    from named join merged using (fide_id) where comes_or_goes or len(changed) > 0
)
select time_control, fide_id, 4, because, correction_no, null from corrected
union all
select time_control, fide_id, 4, because, null, null
from named anti join corrected using (time_control, fide_id)
where len(list_filter(changed, lambda name: name <> 'flag')) > 0;

-- 2 and 3: ratings of the player and of opponents on sides. A part that the rounding of the change hides is no cause,
-- unless the player has no other. Where the change is not the rounded sum, as of a rule set that rounds once per event,
-- this is not known, and every part is one.
insert into cause
with found as (
    select used.*, month, stands_in, correction_no, rule_file
    from used left join used_origin using (whose, time_control, fide_id, event_id, round)
    semi join (from player where sum_differs) using (time_control, fide_id)
    where whose <> 'standard'
),
lost as (
    select time_control, fide_id, correction_no, rule_file
    from found join after_change as change using (time_control, fide_id)
    where rounded(change.change_hundredths) = change.change
    group by all
    having count(*) = count(part) and rounded(any_value(change.change_hundredths) - sum(part)) = any_value(change.change)
),
judged as (
    select
        found.*,
        exists (
            from lost where (lost.time_control, lost.fide_id) = (found.time_control, found.fide_id)
                and lost.correction_no is not distinct from found.correction_no
                and lost.rule_file is not distinct from found.rule_file
        ) as is_lost
    from found
)
select
    time_control, fide_id, if(whose = 'own', 2, 3),
    if(
        whose = 'own', rating_sentence(month, stands_in, was, now),
        place || 'rating of the opponent ' || player || ' corrected from ' || rating_text(was) || ' to '
            || rating_text(now)
    ),
    correction_no, rule_file
from judged
where not is_lost or not (
    exists (
        from judged as other where not other.is_lost
            and (other.time_control, other.fide_id) = (judged.time_control, judged.fide_id)
    )
    or exists (from cause where (cause.time_control, cause.fide_id) = (judged.time_control, judged.fide_id))
);
