"""Two systems of Elo by a table: the national one of Italy, and a club's internal one.

Italy's enters at 1440, has K 30, is rounded per event, and ends where a FIDE rating exists. A club's enters at 1400 or
at the minimum of a title, has a K by games and rating, and counts in thousandths.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import polars as pl

from ratinglist.rating.rules import (
    ChangeUpRules,
    FixedEntryRules,
    SystemSections,
    TableRules,
    ThousandthsRules,
)
from ratinglist.rating.systems.month import (
    SystemMonth,
    SystemResult,
    as_sides,
    changed,
    changes_of,
    next_state,
    scored,
    summed,
    with_facts,
    with_opponents_facts,
    with_unlisted,
)
from ratinglist.rating.systems.system import RatingSystem
from ratinglist.strict_toml import Whole
from ratinglist.tables import SYSTEM_STATE


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


def rate_fsi(month: SystemMonth, rules: FsiRules) -> SystemResult:
    """Calculate the list of ``month``.

    A player whom no list rated when the event began counts as the entry rating, for both sides. A player with a
    reference rating at that time is not rated in the event, and opponents see the reference rating.
    """
    table, k = month.tables[rules.expected_score.table], pl.lit(rules.development_coefficient.k, pl.Int32)
    sides = scored(_fsi_sides(month, rules), k, table, "hundredths", rules.expected_score.cap)
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


def _fsi_sides(month: SystemMonth, rules: FsiRules) -> pl.DataFrame:
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
    references = month.references_in(days).drop("month")
    return references.clear() if rules.lapse.lapses_with == "nothing" else references


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


def rate_club(month: SystemMonth, rules: ClubRules) -> SystemResult:
    """Calculate the list of ``month``.

    A player whom no list rated when the event began counts as the entry rating, or as the minimum of a title, for both
    sides. A listed player whose new rating is below the minimum of a title that no list has seen is raised to it.
    """
    # Players without a title of these need no row: most have none.
    titled = month.players.filter(pl.col("title").is_in(list(minima(rules.title_minimum))))
    titled = titled.select("fide_id", "title", _minimum(rules.title_minimum).alias("minimum"))
    sides = _club_sides(month, titled, rules)
    listed = month.before.select("fide_id", "titles_seen", "first_title")
    # A title that stands on the first imported list was recorded before it.
    first_seen = titled.join(listed, on="fide_id").filter(
        ~pl.col("titles_seen").str.split(",").list.contains(pl.col("title")), pl.col("title") != pl.col("first_title")
    )
    sums = (
        summed(sides, "thousandths")
        .join(first_seen.select("fide_id", raised_to="minimum"), on="fide_id", how="full", coalesce=True)
        .join(titled.select("fide_id", "minimum"), on="fide_id", how="left")
        .with_columns(pl.col("games", "change", "change_thousandths").fill_null(0))
    )
    computed = (
        changed(month, sums, pl.coalesce("minimum", pl.lit(rules.entry.rating)))
        .with_columns(pl.max_horizontal("new_rating", "raised_to").alias("new_rating"))
        .with_columns((pl.col("new_rating") - pl.col("counted_as")).alias("change"))
        # A title that raises no rating and no game: nothing was computed.
        .filter((pl.col("games") > 0) | (pl.col("change") != 0))
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


def _club_sides(month: SystemMonth, titled: pl.DataFrame, rules: ClubRules) -> pl.DataFrame:
    """Return the sides with the ratings used, expected score, K and change."""
    minimum = titled.select("fide_id", "minimum")
    state = month.before.select("fide_id", "games_played", list_rating="rating")
    sides = with_opponents_facts(with_facts(with_facts(month.sides, minimum), state), minimum)
    k = coefficient(
        rules.development_coefficient,
        pl.col("games_played").fill_null(0),
        pl.coalesce("list_rating", "minimum", pl.lit(rules.entry.rating)),
    )
    used = with_unlisted(sides, rules.entry.rating, "minimum")
    return scored(used, k, month.tables[rules.expected_score.table], "thousandths")


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
    states = seen.with_columns(pl.lit(month.time_control).alias("time_control"))
    return SYSTEM_STATE.completed(states, blank_texts=True)


FSI = RatingSystem(FsiRules, rate_fsi)
CLUB = RatingSystem(ClubRules, rate_club, levels=LEVELS)
"""The systems as the program knows them."""
