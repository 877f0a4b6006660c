"""The national Elo of Italy: enters at 1440, K 30, rounded per event, ends where a FIDE rating exists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import polars as pl

from ratinglist.rating.rules import FixedEntryRules, SystemSections, TableRules
from ratinglist.rating.systems.month import (
    SystemMonth,
    SystemResult,
    as_sides,
    changed,
    changes_of,
    next_state,
    scored,
    summed,
    with_unlisted,
)
from ratinglist.rating.systems.system import RatingSystem
from ratinglist.strict_toml import Whole


@dataclass(frozen=True, slots=True)
class FsiCoefficientRules:
    """K, the same for all players."""

    k: Whole


@dataclass(frozen=True, slots=True)
class FsiChangeRules:
    """From the changes of the games to a whole number."""

    rounded_per: Literal["event"]
    halves: Literal["away_from_zero"]


@dataclass(frozen=True, slots=True)
class FsiLapseRules:
    """``reference``: a rating ends when the player has one on the newest reference list."""

    lapses_with: Literal["reference", "nothing"]


@dataclass(frozen=True, slots=True)
class FsiRules(SystemSections):
    """The national Elo of Italy."""

    SYSTEM: ClassVar = "fsi"
    expected_score: TableRules
    development_coefficient: FsiCoefficientRules
    change: FsiChangeRules
    entry: FixedEntryRules
    lapse: FsiLapseRules


def rate(month: SystemMonth, rules: FsiRules) -> SystemResult:
    """Calculate the list of ``month``.

    A player whom no list rated when the event began counts as the entry rating, for both sides. A player with a
    reference rating at that time is not rated in the event, and opponents see the reference rating.
    """
    table, k = month.tables[rules.expected_score.table], pl.lit(rules.development_coefficient.k, pl.Int32)
    sides = scored(_sides(month, rules), k, table, "hundredths", rules.expected_score.cap)
    computed = changed(month, summed(sides, "hundredths", per_event=True), pl.lit(rules.entry.rating))
    lapsing = _references(month, rules, pl.Series([month.period.first_day])).select("fide_id")
    without_games = (
        month.before.select("fide_id", old_rating="rating")
        .join(lapsing, on="fide_id", how="semi")
        .join(computed, on="fide_id", how="anti")
        .with_columns(pl.lit(0, pl.Int32).alias(name) for name in ("games", "change_hundredths"))
    )
    lapses = pl.col("fide_id").is_in(lapsing["fide_id"].implode())
    computed = pl.concat([computed, without_games], how="diagonal").with_columns(
        pl.when(~lapses).then("new_rating").alias("new_rating"),
        pl.when(~lapses).then("change").alias("change"),
    )
    return SystemResult(
        sides=as_sides(sides),
        changes=changes_of(month, computed),
        list_state=next_state(month, computed, k),
    )


def _sides(month: SystemMonth, rules: FsiRules) -> pl.DataFrame:
    """Return the sides with the ratings used: a reference rating stands before that of the list."""
    starts = month.events.select("event_no", pl.col("start_date").dt.strftime("%Y-%m").alias("in_month"))
    playing = month.sides.select("event_no", "fide_id").unique().join(starts, on="event_no")
    in_force = _references(month, rules, month.events["start_date"])
    references = playing.join(in_force, on=["in_month", "fide_id"]).drop("in_month")
    opponents = references.rename({"fide_id": "opponent_id", "reference": "opponent_reference"})
    sides = month.sides.join(references, on=["event_no", "fide_id"], how="left", maintain_order="left")
    sides = sides.join(opponents, on=["event_no", "opponent_id"], how="left", maintain_order="left")
    has_reference = pl.lit("has_reference_rating", dtype=month.sides.schema["reason"])
    return with_unlisted(
        sides.with_columns(
            pl.when((pl.col("reason") == "") & pl.col("reference").is_not_null())
            .then(has_reference)
            .otherwise("reason")
            .alias("reason"),
            pl.coalesce("reference", "rating").alias("rating"),
            pl.coalesce("opponent_reference", "opponent_rating").alias("opponent_rating"),
        ),
        rules.entry.rating,
    )


def _references(month: SystemMonth, rules: FsiRules, days: pl.Series) -> pl.DataFrame:
    """Return the newest reference list in the month of each day: ``in_month``, ``fide_id``, ``reference``."""
    found = month.references_in(days).drop("month")
    return found.clear() if rules.lapse.lapses_with == "nothing" else found


SYSTEM = RatingSystem(FsiRules, rate)
"""The system as the program knows it."""
