"""A club's internal Elo: enters at 1400 or at the minimum of a title, K by games and rating, thousandths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import polars as pl

from ratinglist.rating.expected import expected_units
from ratinglist.rating.system_rules import ChangeUpRules, FixedEntryRules, SystemSections, ThousandthsRules
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
    plus_thousandths,
)
from ratinglist.rating.systems.new_list import changes_of, next_state
from ratinglist.rating.systems.system import RatingSystem
from ratinglist.strict_toml import Whole
from ratinglist.tables import SYSTEM_STATE

LEVELS = {
    "beginner": 0,
    "3S": 1200,
    "2S": 1300,
    "1S": 1400,
    "3N": 1500,
    "2N": 1600,
    "1N": 1800,
    "CM": 2000,
    "M": 2200,
    "FM": 2300,
    "IM": 2400,
    "GM": 2500,
    "Super-GM": 2700,
}
"""The lower limit of each level; no rating depends on it."""


@dataclass(frozen=True, slots=True)
class ClubCoefficientRules:
    """K: ``new`` under ``new_until_games`` games; then by the rating: ``normal``, the formula, ``master``."""

    new: Whole
    new_until_games: Whole
    normal: Whole
    formula: Literal["130_less_a_twentieth_of_the_rating"]
    formula_from: Whole
    master: Whole
    master_from: Whole


@dataclass(frozen=True, slots=True)
class TitleRules:
    """The lowest rating of a player with a title, on entry and once when the title is first recorded."""

    gm: Whole
    im: Whole
    fm: Whole


@dataclass(frozen=True, slots=True)
class ClubRules(SystemSections):
    """A club's internal Elo."""

    SYSTEM: ClassVar = "club"
    expected_score: ThousandthsRules
    development_coefficient: ClubCoefficientRules
    change: ChangeUpRules
    entry: FixedEntryRules
    title_minimum: TitleRules


def rate(month: SystemMonth, rules: ClubRules) -> SystemResult:
    """Calculate the list of ``month``.

    A player whom no list rated when the event began counts as the entry rating, or as the minimum of a title, for both
    sides. A listed player whose new rating is below the minimum of a title that no list has seen is raised to it.
    """
    # Players without a title of these need no row: most have none.
    titled = month.players.filter(pl.col("title").is_in(list(minima(rules.title_minimum))))
    titled = titled.select("fide_id", "title", _minimum(rules.title_minimum).alias("minimum"))
    sides = _sides(month, titled, rules)
    sums = (
        sides.lazy()
        .filter(pl.col("reason") == "")
        .group_by("fide_id")
        .agg(pl.len().cast(pl.Int32).alias("games"), pl.col("change_thousandths").sum(), pl.col("k").first())
        .collect()
    )
    listed = month.before.select("fide_id", "rating", "titles_seen", "first_title")
    # A title that stands on the first imported list was recorded before it.
    first_seen = titled.join(listed, on="fide_id").filter(
        ~pl.col("titles_seen").str.split(",").list.contains(pl.col("title")), pl.col("title") != pl.col("first_title")
    )
    computed = (
        sums.lazy()
        .join(
            first_seen.lazy().select("fide_id", pl.col("minimum").alias("raised_to")),
            on="fide_id",
            how="full",
            coalesce=True,
        )
        .join(listed.lazy().select("fide_id", pl.col("rating").alias("old_rating")), on="fide_id", how="left")
        .join(titled.lazy().select("fide_id", "minimum"), on="fide_id", how="left")
        .with_columns(
            pl.col("games", "change_thousandths").fill_null(0),
            pl.coalesce("old_rating", "minimum", pl.lit(rules.entry.rating, dtype=pl.Int32)).alias("counted_as"),
        )
        .with_columns(plus_thousandths(pl.col("counted_as"), pl.col("change_thousandths")).alias("by_games"))
        .with_columns(pl.max_horizontal("by_games", "raised_to").alias("new_rating"))
        .with_columns(
            pl.col("games").alias("counted_games"),
            pl.when(pl.col("old_rating").is_null()).then(pl.lit("entered")).otherwise(pl.lit("rated")).alias("status"),
            (pl.col("new_rating") - pl.col("counted_as")).alias("change"),
        )
        # A title that raises no rating and no game: nothing was computed.
        .filter((pl.col("games") > 0) | (pl.col("change") != 0))
        .collect()
    )
    k = coefficient(rules.development_coefficient, pl.col("games_played"), pl.col("rating"))
    list_state = next_state(month, computed, k)
    return SystemResult(
        sides=as_sides(sides),
        changes=changes_of(month, computed),
        list_state=list_state,
        system_state=_titles_seen(month, list_state, titled),
    )


def minima(rules: TitleRules) -> dict[str, int]:
    """Return the lowest rating by title."""
    return {"GM": rules.gm, "IM": rules.im, "FM": rules.fm}


def _minimum(rules: TitleRules) -> pl.Expr:
    """Return the minimum of the title."""
    return pl.col("title").replace_strict(minima(rules), default=None, return_dtype=pl.Int32)


def coefficient(rules: ClubCoefficientRules, games_played: pl.Expr, rating: pl.Expr) -> pl.Expr:
    """Return K of a player. The formula, 130 − R/20 to the nearest whole number, half up, is floor((2610 − R)/20)."""
    return (
        pl.when(games_played < rules.new_until_games)
        .then(rules.new)
        .when(rating >= rules.master_from)
        .then(rules.master)
        .when(rating >= rules.formula_from)
        .then((2610 - rating) // 20)
        .otherwise(rules.normal)
        .cast(pl.Int32)
    )


def _sides(month: SystemMonth, titled: pl.DataFrame, rules: ClubRules) -> pl.DataFrame:
    """Return the sides with the ratings used, expected score, K and change."""
    minimum = month.of_participants(titled.select("fide_id", "minimum"))
    state = month.of_participants(month.before.select("fide_id", "games_played", list_rating="rating"))
    sides = gathered(gathered(month.sides, "player_row", minimum), "opponent_row", minimum, "opponent_")
    entry = pl.lit(rules.entry.rating, dtype=pl.Int32)
    is_event_rated = pl.col("reason").is_not_null()
    table = month.tables[rules.expected_score.table]
    k = coefficient(
        rules.development_coefficient,
        pl.col("games_played").fill_null(0),
        pl.coalesce("list_rating", "minimum", entry),
    )
    return (
        gathered(sides, "player_row", state)
        .lazy()
        .with_columns(
            pl.when(is_event_rated).then(pl.coalesce("rating", "minimum", entry)).alias("rating"),
            pl.when(is_event_rated)
            .then(pl.coalesce("opponent_rating", "opponent_minimum", entry))
            .alias("opponent_rating"),
            only_counted(k).alias("k"),
        )
        .with_columns(only_counted(pl.col("rating") - pl.col("opponent_rating")).alias("difference_used"))
        .with_columns(expected_units(pl.col("difference_used"), table, 1000).alias("expected_thousandths"))
        .with_columns(CHANGE["thousandths"].alias("change_thousandths"))
        .collect()
    )


def _titles_seen(month: SystemMonth, list_state: pl.DataFrame, titled: pl.DataFrame) -> pl.DataFrame:
    """Return the titles that the lists have seen, of the listed players who have or had one (``SYSTEM_STATE``)."""
    # Few players have a title: only these are handled as text.
    seen_before = month.before.filter(pl.col("titles_seen") != "").select("fide_id", "titles_seen")
    seen = (
        list_state.select("fide_id")
        .join(seen_before, on="fide_id", how="left", maintain_order="left")
        .join(titled.select("fide_id", "title"), on="fide_id", how="left", maintain_order="left")
        .filter(pl.col("titles_seen").is_not_null() | pl.col("title").is_not_null())
        .with_columns(
            pl.concat_str("titles_seen", "title", separator=",", ignore_nulls=True)
            .str.split(",")
            .list.unique()
            .list.sort()
            .list.join(",")
            .alias("titles_seen")
        )
    )
    rows = seen.with_columns(pl.lit(month.time_control).alias("time_control"))
    return SYSTEM_STATE.completed(rows, blank_texts=True)


def _figures(calculated: Calculated, rules: ClubRules) -> pl.DataFrame:
    of_titles = list(minima(rules.title_minimum).values())
    counted_as = pl.coalesce("old_rating", pl.col("new_rating") - pl.col("change"))
    is_entry = (pl.col("counted_as") == rules.entry.rating) | pl.col("counted_as").is_in(of_titles)
    return (
        of_players(calculated, pl.col("change_thousandths").sum().alias("due_change_thousandths"))
        .with_columns(counted_as.alias("counted_as"), pl.col("due_change_thousandths").fill_null(0))
        .with_columns(
            (1000 * pl.col("counted_as") + pl.col("change_thousandths")).alias("exact_thousandths"),
            plus_thousandths(pl.col("counted_as"), pl.col("change_thousandths")).alias("by_games"),
        )
        .with_columns(pl.when(pl.col("new_rating") > pl.col("by_games")).then("new_rating").alias("raised_to"))
        .select(
            *("fide_id", "counted_as", "games_before", "exact_thousandths", "by_games", "raised_to"),
            *("due_games", "due_change_thousandths"),
            pl.when(pl.col("raised_to").is_in(of_titles))
            .then("raised_to")
            .otherwise("by_games")
            .alias("due_new_rating"),
            # An unlisted player begins at the entry rating or at the minimum of a title.
            pl.when(pl.col("old_rating").is_null() & ~is_entry)
            .then(pl.col("new_rating") - rules.entry.rating)
            .alias("due_change"),
        )
    )


def _due_of_games(calculated: Calculated, rules: ClubRules) -> dict[str, pl.Expr]:
    return {
        "difference_used": pl.col("rating") - pl.col("opponent_rating"),
        "k": coefficient(rules.development_coefficient, pl.col("games_before"), pl.col("counted_as")),
        "expected_thousandths": expected_of_game(calculated, rules.expected_score.table, 1000),
        "change_thousandths": CHANGE["thousandths"],
    }


SYSTEM = RatingSystem(
    ClubRules,
    rate,
    SystemAccount(_figures, _due_of_games),
    levels=LEVELS,
)
"""The system as the program knows it."""
