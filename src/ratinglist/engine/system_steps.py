"""Calculate the list of a family of another system: judged as all events are, rated by the system's own module."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from ratinglist.engine.plan import MonthPlan
from ratinglist.engine.steps import RatedBucket, RatedPlayers, judged_bucket, write_lists, write_sides
from ratinglist.period import Period
from ratinglist.rating.calculation import TimeControlResult
from ratinglist.rating.model import JudgedMonth, MonthInputs
from ratinglist.rating.participants import gather_columns
from ratinglist.rating.player_games import REASON, is_among
from ratinglist.rating.rules import SystemRuleSet
from ratinglist.rating.systems.month import SystemMonth, SystemResult, as_sides
from ratinglist.rating.systems.own_state import NO_STATE, KeptState
from ratinglist.rating.systems.registry import SYSTEMS
from ratinglist.schemas import ENTRY, SYSTEM_STATE


@dataclass(frozen=True, slots=True)
class RatedSystem:
    """What :func:`rate_system` gave besides tables: counts of the sides and of the list, and the states."""

    of_events: list[RatedBucket]
    of_players: RatedPlayers
    system_state: pl.DataFrame
    own_state: KeptState | None


Run = Callable[[Callable[[MonthPlan, int], Any], Sequence[int]], list[Any]]
"""Calls a step for each of some buckets and returns what it gives."""


def rate_system(
    plan: MonthPlan, rule_set: SystemRuleSet, inputs: MonthInputs, judged_events: pl.DataFrame, run: Run
) -> RatedSystem:
    """Rate the games of all buckets and calculate the list. Writes the sides, and every table of the list.

    In: ``judged_events``: of the whole month. Only a study may have several buckets of events. Of its sides those with
    a reason are kept: a later month needs no others.
    """
    of_list = _of_list(plan, rule_set, inputs, judged_events)
    system = SYSTEMS[rule_set.system]
    buckets = range(plan.event_buckets)
    if len(buckets) > 1 and (steps := system.in_parts) is not None:

        def rate_part(plan: MonthPlan, bucket: int) -> tuple[RatedBucket, Any]:
            judged = _shown(plan, bucket)
            found, sides = steps.of_part(_of_games(of_list, judged, rule_set), rule_set.own)
            sides = as_sides(sides.filter(pl.col("reason") != ""))
            return write_sides(plan, bucket, sides, judged.events), found

        parts = run(rate_part, buckets)
        of_events = [counts for counts, _ in parts]
        result = steps.of_parts(of_list, [found for _, found in parts], rule_set.own)
    else:

        def rate_all(plan: MonthPlan, bucket: int) -> tuple[RatedBucket, SystemResult]:
            judged = _shown(plan, bucket)
            if plan.study is not None and plan.study.learn is not None:
                result = plan.study.learn(judged)
            else:
                result = system.rate(_of_games(of_list, judged, rule_set), rule_set.own)
            sides = result.sides if plan.study is None else result.sides.filter(pl.col("reason") != "")
            return write_sides(plan, bucket, sides, judged.events), result

        [(counts, result)] = run(rate_all, buckets)
        of_events = [counts]
    of_control = TimeControlResult(result.changes, ENTRY.empty(), result.pool, result.list_state)
    of_players = write_lists(plan, 0, {rule_set.time_control: of_control}, result.system_state)
    own_state = None
    if system.state is not None:
        own_state = KeptState(rule_set.system, system.state, system.state.table.sorted(result.own_state))
    return RatedSystem(of_events, of_players, result.system_state, own_state)


def _shown(plan: MonthPlan, bucket: int) -> JudgedMonth:
    judged = judged_bucket(plan, bucket)
    plan.show(judged)
    return judged


def _of_list(plan: MonthPlan, rule_set: SystemRuleSet, inputs: MonthInputs, judged_events: pl.DataFrame) -> SystemMonth:
    """Return the inputs of the list without sides and participants."""
    time_control, state = rule_set.time_control, SYSTEMS[rule_set.system].state
    newest = plan.newest_lists(0)[time_control]
    return SystemMonth(
        period=plan.period,
        time_control=time_control,
        before=_with_state(newest, inputs.system_state, inputs.imported),
        month_before=Period.parse(str(newest["month"].max())),
        sides=pl.DataFrame(),
        participants=pl.DataFrame(),
        events=judged_events.with_row_index("event_no")
        .filter(pl.col("status") == "rated")
        .select("event_no", "event_id", "pool_id", "start_date", "end_date", "minutes_per_60_moves"),
        players=plan.input_of_players("players", 0).select("fide_id", "title", "birth_date", "birth_year"),
        tables={**plan.rules.expected_score, **plan.rules.thousandths},
        pool=plan.input_of_players("waiting", 0).filter(pl.col("time_control") == time_control),
        pooled_games=inputs.pooled_games,
        references=inputs.references,
        own_state=NO_STATE if state is None else state.of(inputs.own_state),
        rule_sets=[
            (one.effective_from, one.own)
            for one in plan.rules.of(plan.family)
            if isinstance(one, SystemRuleSet) and one.time_control == time_control
        ],
        is_published=plan.study is None,
    )


def _of_games(month: SystemMonth, judged: JudgedMonth, rule_set: SystemRuleSet) -> SystemMonth:
    """Return the inputs with the sides and participants of a judged bucket."""
    participants = judged.participants.select("fide_id", (pl.col("event_row") + judged.first_event).alias("event_no"))
    return replace(month, sides=game_sides(judged, rule_set), participants=participants)


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


def game_sides(judged: JudgedMonth, rule_set: SystemRuleSet) -> pl.DataFrame:
    """Return the sides of all games with the players' ratings on the list that the rules use; null: not on it."""
    of_list = "seen" if rule_set.own.list.ratings_used == "event_start" else "old_rating"
    ratings, fide_ids = judged.participants[of_list], judged.participants["fide_id"]
    is_rated = judged.events["status"] == "rated"
    reason = pl.lit("", dtype=REASON)
    if len(judged.duplicate_sides):
        duplicate = is_among(judged.duplicate_sides, judged.participants)
        reason = pl.when(duplicate).then(pl.lit("same_game", dtype=REASON)).otherwise(reason)
    return gather_columns(
        judged.sides, "event_row", pl.DataFrame({"is_event_rated": is_rated}), "is_event_rated"
    ).select(
        (pl.col("event_row") + judged.first_event).alias("event_no"),
        "round",
        "date",
        fide_ids.gather(judged.sides["participant_row"]).alias("fide_id"),
        fide_ids.gather(judged.sides["opponent_row"]).alias("opponent_id"),
        "is_white",
        "score_halves",
        ratings.gather(judged.sides["participant_row"]).alias("rating"),
        ratings.gather(judged.sides["opponent_row"]).alias("opponent_rating"),
        pl.when("is_event_rated").then(reason).alias("reason"),
        pl.col("participant_row").alias("player_row"),
        "opponent_row",
    )
