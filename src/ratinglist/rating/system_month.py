"""Calculate the lists of a family of another system: judged as all events are, rated by the system's own module."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from ratinglist.period import Period
from ratinglist.rating.judged_month import JudgedMonth, published_events
from ratinglist.rating.model import MonthInputs, MonthResult
from ratinglist.rating.participants import gather_columns
from ratinglist.rating.player_games import REASON, is_among
from ratinglist.rating.rules import SystemRuleSet
from ratinglist.rating.systems import club, ffe, fsi, fsi_1998, glicko, uscf
from ratinglist.rating.systems.month import SystemMonth, SystemResult, as_sides
from ratinglist.schemas import ENTRY, SYSTEM_STATE

SYSTEMS: dict[str, Callable[[SystemMonth, Any], SystemResult]] = {
    "fsi": fsi.rate,
    "uscf": uscf.rate,
    "ffe": ffe.rate,
    "club": club.rate,
    "fsi-1998": fsi_1998.rate,
    "glicko": glicko.rate,
}
"""The month step of each system: a list, games and rules in, the new list out."""


@dataclass(frozen=True, slots=True)
class InParts:
    """The month step of a system whose games come part by part, each event in one part.

    ``of_part``: returns what the list needs of a part's sides. ``of_parts``: calculates the list from all of these and
    from the inputs without sides.
    """

    of_part: Callable[[SystemMonth, Any], Any]
    of_parts: Callable[[SystemMonth, Sequence[Any], Any], SystemResult]


IN_PARTS = {
    "ffe": InParts(ffe.of_part, ffe.of_parts),
    "fsi-1998": InParts(fsi_1998.of_part, fsi_1998.of_parts),
}
"""The systems with lists of half a year."""


def rate_month(
    inputs: MonthInputs, judged: JudgedMonth, rule_set: SystemRuleSet, *, is_published: bool = True
) -> MonthResult:
    """Calculate the list of ``inputs.period``; ``rule_set``: that of the new list.

    ``is_published``: see :class:`~ratinglist.rating.systems.month.SystemMonth`.
    """
    month = replace(_without_games(inputs, judged, rule_set), is_published=is_published)
    month = _of_games(month, judged, rule_set)
    return _as_month_result(SYSTEMS[rule_set.system](month, rule_set.own), judged)


def rate_parts(inputs: MonthInputs, parts: Iterable[JudgedMonth], rule_set: SystemRuleSet) -> MonthResult:
    """Calculate the list of ``inputs.period`` as :func:`rate_month` does, from parts of the games.

    In: ``parts``: at least one (:func:`~ratinglist.rating.judged_parts.judge_in_parts`). Out: of the sides only those
    with a reason: a later month needs no others.
    """
    steps = IN_PARTS[rule_set.system]
    sides, found = [], []
    month: SystemMonth | None = None
    for judged in parts:
        month = month or _without_games(inputs, judged, rule_set)
        of_part = _of_games(month, judged, rule_set)
        kept, sides_of_part = steps.of_part(of_part, rule_set.own)
        found.append(kept)
        sides.append(as_sides(sides_of_part.filter(pl.col("reason") != "")))
        last = replace(judged, participants=judged.participants.clear(), sides=judged.sides.clear())
        # Before the next part is read.
        del judged, of_part, sides_of_part
    if month is None:
        raise ValueError("there is no part")
    result = steps.of_parts(month, found, rule_set.own)
    return _as_month_result(replace(result, sides=pl.concat(sides)), last)


def _without_games(inputs: MonthInputs, judged: JudgedMonth, rule_set: SystemRuleSet) -> SystemMonth:
    """Return the inputs of the list without sides and participants."""
    time_control = rule_set.time_control
    newest = judged.newest_lists[time_control]
    return SystemMonth(
        period=inputs.period,
        time_control=time_control,
        before=_with_state(newest, inputs.system_state),
        month_before=Period.parse(str(newest["month"].max())),
        sides=pl.DataFrame(),
        participants=pl.DataFrame(),
        events=judged.events.with_row_index("event_no")
        .filter(pl.col("status") == "rated")
        .select("event_no", "event_id", "pool_id", "start_date", "end_date"),
        players=inputs.players.select("fide_id", "title"),
        tables={**inputs.rules.expected_score, **inputs.rules.thousandths},
        pool=inputs.pool.filter(pl.col("time_control") == time_control),
        pooled_games=inputs.pooled_games,
        references=inputs.references,
    )


def _of_games(month: SystemMonth, judged: JudgedMonth, rule_set: SystemRuleSet) -> SystemMonth:
    """Return the inputs with the sides and participants of a judged month."""
    participants = judged.participants.select("fide_id", pl.col("event_row").alias("event_no"))
    return replace(month, sides=game_sides(judged, rule_set), participants=participants)


def _as_month_result(result: SystemResult, judged: JudgedMonth) -> MonthResult:
    return MonthResult(
        events=published_events(judged.events),
        sides=result.sides,
        changes=result.changes,
        entries=ENTRY.empty(),
        pool=result.pool,
        list_state=result.list_state,
        system_state=result.system_state,
        coincidences=judged.duplicates.coincidences,
    )


def _with_state(newest: pl.DataFrame, system_state: pl.DataFrame) -> pl.DataFrame:
    """Return the rated players of the list before, with what the system keeps of them."""
    listed = newest.filter(pl.col("rating").is_not_null()).select(
        "fide_id", "rating", "games_played", "reached_2400", "reached_2300", "last_played"
    )
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
    if len(judged.duplicates.sides):
        duplicate = is_among(judged.duplicates.sides, judged.participants)
        reason = pl.when(duplicate).then(pl.lit("same_game", dtype=REASON)).otherwise(reason)
    return gather_columns(
        judged.sides, "event_row", pl.DataFrame({"is_event_rated": is_rated}), "is_event_rated"
    ).select(
        pl.col("event_row").alias("event_no"),
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
