"""The national Elo of Italy: enters at 1440, K 30, rounded per event, ends where a FIDE rating exists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import polars as pl

from ratinglist.rating.change import rounded
from ratinglist.rating.expected import expected_hundredths
from ratinglist.rating.system_rules import FixedEntryRules, SystemSections, TableRules
from ratinglist.rating.systems.account import (
    CHANGE,
    Calculated,
    SystemAccount,
    expected_of_game,
    of_players,
)
from ratinglist.rating.systems.month import (
    SystemMonth,
    SystemResult,
    as_sides,
    gathered,
    only_counted,
)
from ratinglist.rating.systems.new_list import changes_of, next_state
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
    sides = _sides(month, rules)
    lapsing = _rated_by_reference(month, rules, str(month.period))
    # A participant is a player in one event.
    of_event = (
        sides.lazy()
        .filter(pl.col("reason") == "")
        .group_by("player_row")
        .agg(pl.col("fide_id").first(), pl.len().alias("games"), pl.col("change_hundredths").sum())
    )
    sums = (
        of_event.group_by("fide_id")
        .agg(
            pl.col("games").sum().cast(pl.Int32),
            pl.col("change_hundredths").sum(),
            rounded(pl.col("change_hundredths")).sum().alias("change"),
        )
        .collect()
    )
    before = month.before.lazy().select("fide_id", pl.col("rating").alias("old_rating"))
    listed_and_lapsing = before.join(lapsing.lazy().select("fide_id"), on="fide_id", how="semi")
    without_games = listed_and_lapsing.join(sums.lazy(), on="fide_id", how="anti").select("fide_id")
    lapses = pl.col("fide_id").is_in(lapsing["fide_id"].implode())
    is_listed = pl.col("old_rating").is_not_null()
    computed = (
        pl.concat([sums.lazy(), without_games], how="diagonal")
        .join(before, on="fide_id", how="left")
        .with_columns(
            pl.col("games", "change_hundredths", "change").fill_null(0),
            pl.lit(rules.development_coefficient.k).alias("k"),
        )
        .with_columns(
            pl.col("games").alias("counted_games"),
            pl.when(~lapses)
            .then(pl.col("old_rating").fill_null(rules.entry.rating) + pl.col("change"))
            .alias("new_rating"),
            pl.when(lapses)
            .then(pl.lit("lapsed"))
            .when(is_listed)
            .then(pl.lit("rated"))
            .otherwise(pl.lit("entered"))
            .alias("status"),
            pl.when(~lapses).then("change").alias("change"),
            pl.when(pl.col("games") > 0).then("k").alias("k"),
        )
        .collect()
    )
    return SystemResult(
        sides=as_sides(sides),
        changes=changes_of(month, computed),
        list_state=next_state(month, computed, pl.lit(rules.development_coefficient.k)),
    )


def _sides(month: SystemMonth, rules: FsiRules) -> pl.DataFrame:
    """Return the sides with the ratings used, difference, expected score, K and change."""
    references = _references_at_start(month, rules)
    sides = gathered(month.sides, "player_row", references, "own_")
    sides = gathered(sides, "opponent_row", references, "opponent_")
    entry = pl.lit(rules.entry.rating, dtype=pl.Int32)
    is_event_rated = pl.col("reason").is_not_null()
    table = month.tables[rules.expected_score.table]
    cap = rules.expected_score.cap
    k = pl.lit(rules.development_coefficient.k)
    return (
        sides.lazy()
        .with_columns(
            pl.when(is_event_rated & (pl.col("reason") == "") & pl.col("own_reference").is_not_null())
            .then(pl.lit("has_reference_rating", dtype=month.sides.schema["reason"]))
            .otherwise("reason")
            .alias("reason"),
            pl.when(is_event_rated).then(pl.coalesce("own_reference", "rating", entry)).alias("rating"),
            pl.when(is_event_rated)
            .then(pl.coalesce("opponent_reference", "opponent_rating", entry))
            .alias("opponent_rating"),
        )
        .with_columns(
            only_counted((pl.col("rating") - pl.col("opponent_rating")).clip(-cap, cap)).alias("difference_used"),
            only_counted(k).cast(pl.Int32).alias("k"),
        )
        .with_columns(expected_hundredths(pl.col("difference_used"), table).alias("expected_hundredths"))
        .with_columns(CHANGE["hundredths"].alias("change_hundredths"))
        .collect()
    )


def _references_at_start(month: SystemMonth, rules: FsiRules) -> pl.DataFrame:
    """Return every participant's rating on the reference list in force when the event began, as ``reference``."""
    starts = month.events.select("event_no", pl.col("start_date").dt.strftime("%Y-%m").alias("start_month"))
    participants = month.participants.with_row_index("player_row").join(starts, on="event_no")
    parts = [pl.DataFrame(schema={"player_row": pl.UInt32, "reference": pl.Int32})]
    for start in starts["start_month"].unique().sort():
        of_month = participants.filter(pl.col("start_month") == start)
        found = of_month.join(_rated_by_reference(month, rules, start), on="fide_id")
        parts.append(found.select("player_row", reference="rating"))
    rows = month.participants.select("fide_id").with_row_index("player_row")
    return rows.join(pl.concat(parts), on="player_row", how="left", maintain_order="left").select("reference")


def _rated_by_reference(month: SystemMonth, rules: FsiRules, on: str) -> pl.DataFrame:
    """Return the players with a rating on the newest reference list not after the month ``on``."""
    if rules.lapse.lapses_with == "nothing":
        return month.references.clear()
    until = month.references.filter(pl.col("month") <= on)
    return until.filter(pl.col("month") == pl.col("month").max())


def _figures(calculated: Calculated, rules: FsiRules) -> pl.DataFrame:
    exact = pl.col("change_hundredths")
    events = (
        calculated.counted.group_by("fide_id", "event_id")
        .agg(pl.col("start_date", "end_date").first(), exact.sum())
        .sort("fide_id", "start_date", "end_date", "event_id", nulls_last=True)
        .group_by("fide_id", maintain_order=True)
        .agg(rounded(exact).alias("events"), exact.sum().alias("due_change_hundredths"))
        .with_columns(pl.col("events").list.sum().alias("total"))
    )
    stays = pl.col("status") != "lapsed"
    return (
        of_players(calculated)
        .join(events, on="fide_id", how="left")
        .with_columns(
            pl.col("due_change_hundredths", "total").fill_null(0),
            pl.col("old_rating").fill_null(rules.entry.rating).alias("counted_as"),
        )
        .select(
            *("fide_id", "counted_as", "events", "due_games", "due_change_hundredths"),
            pl.when(stays).then("total").alias("due_change"),
            pl.when(stays).then(pl.col("counted_as") + pl.col("total")).alias("due_new_rating"),
        )
    )


def _due_of_games(calculated: Calculated, rules: FsiRules) -> dict[str, pl.Expr]:
    cap = rules.expected_score.cap
    return {
        "difference_used": (pl.col("rating") - pl.col("opponent_rating")).clip(-cap, cap),
        "k": pl.lit(rules.development_coefficient.k),
        "expected_hundredths": expected_of_game(calculated, rules.expected_score.table, 100),
        "change_hundredths": CHANGE["hundredths"],
    }


SYSTEM = RatingSystem(FsiRules, rate, SystemAccount(_figures, _due_of_games))
"""The system as the program knows it."""
