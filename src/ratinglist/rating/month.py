"""Calculate a month: from the reports received to the new lists, in the order of the regulations.

The list of a family of another system is judged as all events are, and rated by the system's own month step.

No paths, no clock, no database. The same inputs give the same rows, in whatever order they come.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import polars as pl

from ratinglist.period import Period
from ratinglist.rating.duplicate_games import each_game_once
from ratinglist.rating.entry import waiting_results
from ratinglist.rating.event_verdicts import judge_events, published_events
from ratinglist.rating.model import NO_STATE, MonthInputs, MonthResult, newest_list, rules_of_list, system_of
from ratinglist.rating.participants import participants, ratings_used, with_event
from ratinglist.rating.player_games import (
    COLOUR,
    REASON,
    add_changes,
    add_expected_scores,
    add_reasons,
    judge_tranches_by_control,
    published_games,
    rate_players,
    sides_of_games,
    sum_tranches,
    texts_of_events,
)
from ratinglist.rating.rating_list import new_list
from ratinglist.rating.report_versions import newest_versions
from ratinglist.rating.rules import SystemRuleSet
from ratinglist.rating.systems.month import SystemMonth
from ratinglist.rating.systems.registry import SYSTEMS
from ratinglist.tables import (
    CHANGE,
    ENTRY,
    LIST_STATE,
    POOL,
    SYSTEM_GAME,
    SYSTEM_SIDE,
    SYSTEM_STATE,
    own_columns,
)

_SIDE_REASON = SYSTEM_SIDE.columns["reason"].dtype


class Judged(NamedTuple):
    """The first three steps of a month.

    ``events`` and ``games``, each game once, and ``coincidences``:
    :func:`~ratinglist.rating.duplicate_games.each_game_once`. ``players``:
    :func:`~ratinglist.rating.participants.participants`.
    """

    events: pl.DataFrame
    players: pl.DataFrame
    games: pl.DataFrame
    coincidences: pl.DataFrame


def rate_month(inputs: MonthInputs) -> MonthResult:
    """Calculate the list of ``inputs.period`` for every time control with an earlier list and a rule set in force."""
    return rate_judged(judge_month(inputs), inputs)


def judge_month(inputs: MonthInputs) -> Judged:
    """Judge every event that the list of ``inputs.period`` knows: the first three steps of a list."""
    # 1. The newest version of each report, who plays in it with which rating in force, and the games played.
    reports = newest_versions(inputs)
    players = participants(reports, inputs)
    games = with_event(inputs.report_games, reports)
    # 2. Each event is rated, or there is a reason why not.
    events = judge_events(reports, players, games, inputs)
    # 3. Each game counts once, whatever reports contain it.
    events, games, coincidences = each_game_once(events, games, inputs.earlier_games)
    return Judged(events, players, games, coincidences)


def rate_judged(judged: Judged, inputs: MonthInputs) -> MonthResult:
    """Rate the games of a judged month by FIDE's rules or by another system: the other steps of a list."""
    events, players, games, coincidences = judged
    rule_set = system_of(inputs)
    if rule_set is None:
        result = rate_by_fide(events, players, games, inputs)
    else:
        result = rate_system(events, players, games, inputs, rule_set)
    return replace(result, coincidences=coincidences)


def rate_by_fide(events: pl.DataFrame, players: pl.DataFrame, games: pl.DataFrame, inputs: MonthInputs) -> MonthResult:
    """Rate the games of the judged ``events`` by FIDE's rules, and calculate the new lists."""
    list_rules = rules_of_list(inputs)
    event_rules = {name: inputs.rules.named(name) for name in events["rule_set"].unique().drop_nulls().sort()}
    # 4. Who is rated, by which rating; each player in each game is rated, or there is a reason why not.
    players = ratings_used(players, events)
    sides = add_reasons(sides_of_games(events, games, players), event_rules)
    # 5. The results of unrated players: what counts now, and what waits since earlier lists.
    waiting = waiting_results(inputs.pool, inputs.period, list_rules)
    tranches = judge_tranches_by_control(sum_tranches(sides, events), waiting, list_rules)
    counted = tranches.filter(pl.col("reason") == "counts_for_entry")
    # 6. Expected score of each rated game; K and change of each player in each event.
    sides = add_expected_scores(sides, event_rules, inputs.rules.tables)
    rated_players = rate_players(sides, players, list_rules)
    sides = add_changes(sides, rated_players, tranches)
    # 7. The new lists: changes summed and rounded once, initial ratings, floor, state for K.
    lists = []
    for time_control, rule_set in list_rules.items():
        is_own = pl.col("time_control") == time_control
        of_control = (frame.filter(is_own) for frame in (rated_players, waiting, counted))
        lists.append(new_list(inputs, rule_set, *of_control))
    changes, entries, pool, list_state = (
        table.sorted(pl.concat([table.empty(), *of_lists]))
        for table, *of_lists in zip((CHANGE, ENTRY, POOL, LIST_STATE), *lists, strict=True)
    )
    return MonthResult(
        events=published_events(events, inputs),
        games=published_games(sides),
        changes=changes,
        entries=entries,
        pool=pool,
        list_state=list_state,
    )


def rate_system(
    events: pl.DataFrame, players: pl.DataFrame, games: pl.DataFrame, inputs: MonthInputs, rule_set: SystemRuleSet
) -> MonthResult:
    """Rate the games of the judged ``events`` by the system of ``rule_set`` and calculate its list.

    In: ``players`` (:func:`~ratinglist.rating.participants.participants`), and ``events`` and ``games`` of which each
    counts once (:func:`~ratinglist.rating.duplicate_games.each_game_once`).
    """
    month = _system_month(events, players, games, inputs, rule_set)
    system = SYSTEMS[rule_set.system]
    result = system.rate(month, rule_set.own)
    if system.state is not None:
        result = replace(result, own_state=system.state.table.sorted(result.own_state))
    return MonthResult(
        events=published_events(events, inputs),
        games=_games(result.sides, events),
        changes=CHANGE.sorted(result.changes),
        entries=ENTRY.empty(),
        pool=POOL.sorted(result.pool),
        list_state=LIST_STATE.sorted(result.list_state),
        system_state=result.system_state,
        own_state=result.own_state,
    )


def _games(sides: pl.DataFrame, events: pl.DataFrame) -> pl.DataFrame:
    """Return a system's sides as published (``SYSTEM_GAME``, with the system's own columns), in the same order."""
    of_event = texts_of_events(events).with_row_index("event_no")
    is_rated = (pl.col("reason") == "").fill_null(value=False)
    return SYSTEM_GAME.extended(own_columns(sides.schema)).coded(
        sides.join(of_event, on="event_no", how="left", maintain_order="left").with_columns(
            pl.when("is_white").then(pl.lit("w", dtype=COLOUR)).otherwise(pl.lit("b", dtype=COLOUR)).alias("colour"),
            pl.when(is_rated).then(pl.col("rating") - pl.col("opponent_rating")).alias("difference"),
            pl.when(pl.col("event_reason") == "").then("rule_set").alias("rule_set"),
            is_rated.alias("rated"),
            pl.coalesce(pl.col("reason").cast(pl.String).cast(REASON), "event_reason").alias("reason"),
        )
    )


def _system_month(
    events: pl.DataFrame, players: pl.DataFrame, games: pl.DataFrame, inputs: MonthInputs, rule_set: SystemRuleSet
) -> SystemMonth:
    time_control, state = rule_set.time_control, SYSTEMS[rule_set.system].state
    newest = newest_list(inputs.lists, time_control)
    numbered = events.with_row_index("event_no")
    return SystemMonth(
        period=inputs.period,
        time_control=time_control,
        before=_with_state(newest, inputs.system_state, inputs.imported),
        month_before=Period.parse(str(newest["month"].max())),
        sides=game_sides(events, players, games, rule_set),
        events=numbered.filter(pl.col("status") == "rated").select(
            "event_no", pl.col("event_id").cast(pl.String), "pool_id", "start_date", "end_date", "minutes_per_60_moves"
        ),
        players=inputs.players.select("fide_id", "title", "birth_date", "birth_year"),
        tables=inputs.rules.tables,
        pool=inputs.pool.filter(pl.col("time_control") == time_control),
        pooled_games=inputs.pooled_games,
        references=inputs.references,
        own_state=NO_STATE if state is None else state.of(inputs.own_state),
        rule_sets=[
            (of_family.effective_from, of_family.own)
            for of_family in inputs.rules.of(inputs.family)
            if isinstance(of_family, SystemRuleSet) and of_family.time_control == time_control
        ],
    )


def _with_state(newest: pl.DataFrame, system_state: pl.DataFrame, imported: pl.DataFrame) -> pl.DataFrame:
    """Return the rated players of the list before, with what the system and the imported lists have of them."""
    listed = newest.filter(pl.col("rating").is_not_null()).select(
        "fide_id", "rating", "games_played", "reached_2400", "reached_2300", "last_played"
    )
    of_lists = imported.filter(pl.col("time_control") == newest["time_control"].first()).drop("time_control")
    listed = listed.join(of_lists, on="fide_id", how="left", maintain_order="left")
    listed = listed.with_columns(pl.col("first_title").fill_null(""))
    if system_state.is_empty():
        return listed.with_columns(
            pl.lit("" if column.dtype == pl.String() else None, dtype=column.dtype).alias(name)
            for name, column in SYSTEM_STATE.columns.items()
            if name not in ("fide_id", "time_control")
        )
    state = system_state.select([name for name in SYSTEM_STATE.columns if name != "time_control"])
    return listed.join(state, on="fide_id", how="left", maintain_order="left").with_columns(
        pl.col("category", "titles_seen").fill_null("")
    )


def game_sides(
    events: pl.DataFrame, players: pl.DataFrame, games: pl.DataFrame, rule_set: SystemRuleSet
) -> pl.DataFrame:
    """Return the sides of all games as :class:`~ratinglist.rating.systems.month.SystemMonth` has them.

    A system refers to an event by its row.
    """
    of_list = pl.col("at_start" if rule_set.own.list.ratings_used == "event_start" else "old_rating")
    used = ratings_used(players, events).with_columns(of_list.alias("rating"), of_list.alias("at_start"))
    numbered = events.select("event_id").with_row_index("event_no")
    same_game, counts = (pl.lit(code, dtype=_SIDE_REASON) for code in ("same_game", ""))
    return (
        sides_of_games(events, games, used)
        .join(numbered, on="event_id", maintain_order="left")
        .select(
            *("event_no", "round", "date", "fide_id", "opponent_id"),
            (pl.col("colour") == "w").alias("is_white"),
            *("score_halves", "rating", "opponent_rating"),
            pl.when(pl.col("event_reason") == "")
            .then(pl.when("same_game").then(same_game).otherwise(counts))
            .alias("reason"),
        )
    )
