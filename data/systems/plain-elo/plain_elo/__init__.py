"""Elo with one K for everybody: the values of a rule file, the month's step, and the figures that check a list."""

from dataclasses import dataclass
from importlib.resources import files
from typing import ClassVar

import polars as pl

from ratinglist.rating.expected import expected_units
from ratinglist.rating.system_rules import FixedEntryRules, SystemSections, ThousandthsRules
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
    change_thousandths,
    counted,
    only_counted,
    plus_thousandths,
)
from ratinglist.rating.systems.new_list import changes_of, next_state
from ratinglist.rating.systems.system import RatingSystem
from ratinglist.strict_toml import Whole


@dataclass(frozen=True, slots=True)
class CoefficientRules:
    """K, the same for all players."""

    k: Whole


@dataclass(frozen=True, slots=True)
class PlainRules(SystemSections):
    """The sections of a rule file."""

    SYSTEM: ClassVar = "plain-elo"
    expected_score: ThousandthsRules
    development_coefficient: CoefficientRules
    entry: FixedEntryRules


def rate(month: SystemMonth, rules: PlainRules) -> SystemResult:
    """Calculate the list of a month: a player who is not listed counts as the entry rating."""
    k, entry = pl.lit(rules.development_coefficient.k, pl.Int32), rules.entry.rating
    is_event_rated = pl.col("reason").is_not_null()
    sides = (
        month.sides.with_columns(
            pl.when(is_event_rated).then(pl.col(name).fill_null(entry)).alias(name)
            for name in ("rating", "opponent_rating")
        )
        .with_columns(
            only_counted(k).alias("k"),
            only_counted(pl.col("rating") - pl.col("opponent_rating")).alias("difference_used"),
        )
        .with_columns(
            expected_units(pl.col("difference_used"), month.tables[rules.expected_score.table], 1000).alias(
                "expected_thousandths"
            )
        )
        .with_columns(
            change_thousandths(pl.col("k"), pl.col("score_halves"), pl.col("expected_thousandths")).alias(
                "change_thousandths"
            )
        )
    )
    old = month.before.select("fide_id", old_rating="rating")
    computed = (
        counted(sides)
        .group_by("fide_id")
        .agg(pl.len().cast(pl.Int32).alias("games"), pl.col("change_thousandths").sum(), pl.col("k").first())
        .join(old, on="fide_id", how="left")
        .with_columns(pl.col("old_rating").fill_null(entry).alias("counted_as"), counted_games=pl.col("games"))
        .with_columns(plus_thousandths(pl.col("counted_as"), pl.col("change_thousandths")).alias("new_rating"))
        .with_columns(
            (pl.col("new_rating") - pl.col("counted_as")).alias("change"),
            pl.when(pl.col("old_rating").is_null()).then(pl.lit("entered")).otherwise(pl.lit("rated")).alias("status"),
        )
    )
    return SystemResult(
        sides=as_sides(sides),
        changes=changes_of(month, computed),
        list_state=next_state(month, computed, k),
    )


def figures(calculated: Calculated, rules: PlainRules) -> pl.DataFrame:
    """Calculate the figures of all players again from what is published: the check before a publication."""
    return (
        of_players(calculated, pl.col("change_thousandths").sum().alias("due_change_thousandths"))
        .with_columns(pl.col("old_rating").fill_null(rules.entry.rating).alias("counted_as"))
        .with_columns((1000 * pl.col("counted_as") + pl.col("change_thousandths")).alias("exact_thousandths"))
        .select(
            *("fide_id", "counted_as", "exact_thousandths", "due_games", "due_change_thousandths"),
            (pl.col("new_rating") - pl.col("counted_as")).alias("due_change"),
            plus_thousandths(pl.col("counted_as"), pl.col("due_change_thousandths")).alias("due_new_rating"),
        )
    )


def due_of_games(calculated: Calculated, rules: PlainRules) -> dict[str, pl.Expr]:
    """Return what the columns of a counted game have to be."""
    return {
        "difference_used": pl.col("rating") - pl.col("opponent_rating"),
        "k": pl.lit(rules.development_coefficient.k),
        "expected_thousandths": expected_of_game(calculated, rules.expected_score.table, 1000),
        "change_thousandths": CHANGE["thousandths"],
    }


SYSTEM = RatingSystem(
    PlainRules,
    rate,
    SystemAccount(figures, due_of_games),
    rules=files(__name__) / "rules",
)
