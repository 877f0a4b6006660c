"""The Italian Elo of 1998 to 2000: two lists a year, sums rounded to .05, entry by promotion to a category."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import polars as pl

from ratinglist.rating.change import change_hundredths
from ratinglist.rating.rules import SystemSections, TableRules
from ratinglist.rating.systems.month import (
    SystemMonth,
    SystemResult,
    as_sides,
    changes_of,
    counted,
    half_up,
    next_state,
    scored,
    with_facts,
)
from ratinglist.rating.systems.system import RatingSystem
from ratinglist.strict_toml import Whole
from ratinglist.tables import SYSTEM_STATE


@dataclass(frozen=True, slots=True)
class PromotionRules:
    """Entry by a performance in one event: ``second`` is the category 2N, ``third`` is 3N.

    Unlisted opponents count as ``unclassified``. In an event of unlisted players only, ``third_share_hundredths`` of
    the points is needed for 3N.
    """

    unclassified: Whole
    min_games: Whole
    second_from: Whole
    second_rating: Whole
    third_from: Whole
    third_rating: Whole
    third_share_hundredths: Whole


@dataclass(frozen=True, slots=True)
class CategoryRules:
    """The lower limit of each category; a player keeps the highest for life."""

    third: Whole
    second: Whole
    first: Whole
    candidate_master: Whole
    master: Whole


CATEGORIES = ("3N", "2N", "1N", "CM", "M")
"""The categories, the lowest first."""


def best_promotions(sides: pl.DataFrame, before: pl.DataFrame, rules: PromotionRules) -> pl.DataFrame:
    """Return the best promotion of the period of unlisted players and of those of category 3N.

    The linear performance X of a player's games of an event decides, against N times the limit; in an event of unlisted
    players only the share of the points, for 3N at most. A listed player is promoted to 2N only. In: ``sides``, and the
    players of the list before with their ``category``. Out: ``fide_id``, ``promoted_to`` (the rating) and
    ``promotion`` (the category).
    """
    games, halves = pl.col("games"), pl.col("score_halves")
    playing = sides.filter(pl.col("reason").is_in(["", "counts_for_promotion"]))
    has_listed = playing.filter(pl.col("rating").is_not_null() | pl.col("is_opponent_listed"))["event_no"].unique()
    of_unlisted = ~pl.col("event_no").is_in(has_listed.implode())
    performance = pl.col("opponent_sum") + 400 * (halves - games)
    is_second = ~of_unlisted & (performance >= rules.second_from * games)
    by_share = 50 * halves >= rules.third_share_hundredths * games
    is_third = pl.when(of_unlisted).then(by_share).otherwise(performance >= rules.third_from * games)
    step = pl.when(is_second).then(2).when(is_third & ~pl.col("is_listed")).then(1).otherwise(0)
    return (
        with_facts(playing, before.select("fide_id", (pl.col("category") == CATEGORIES[0]).alias("was_third")))
        .filter(pl.col("was_third").fill_null(value=True))
        .group_by("fide_id", "event_no")
        .agg(
            pl.len().cast(pl.Int64).alias("games"),
            halves.sum().cast(pl.Int64),
            pl.col("opponent_rating").sum().cast(pl.Int64).alias("opponent_sum"),
            pl.col("was_third").first().is_not_null().alias("is_listed"),
        )
        .filter(games >= rules.min_games)
        .with_columns(step.alias("step"))
        .group_by("fide_id")
        .agg(pl.col("step").max())
        .filter(pl.col("step") > 0)
        .select(
            "fide_id",
            pl.when(pl.col("step") == 2)
            .then(rules.second_rating)
            .otherwise(rules.third_rating)
            .cast(pl.Int32)
            .alias("promoted_to"),
            pl.lit(pl.Series(CATEGORIES)).gather(pl.col("step") - 1).alias("promotion"),
        )
    )


def known_category(rules: CategoryRules) -> pl.Expr:
    """Return the category of a player on the list before: that of the state, or of the highest known rating.

    The highest rating of an imported player is that on any imported list; the marks of the FIDE system show one of 2300
    or more before. Every listed player has a category: below its limit, one was listed as 3N.
    """
    marks = pl.when("reached_2400").then(2400).when("reached_2300").then(2300)
    highest = pl.max_horizontal("rating", "highest_imported", marks)
    return _higher(_higher(pl.col("category"), _category_of(highest, rules)), pl.lit(CATEGORIES[0]))


def new_categories(
    month: SystemMonth, list_state: pl.DataFrame, before: pl.DataFrame, promotions: pl.DataFrame, rules: CategoryRules
) -> pl.DataFrame:
    """Return the category of every player on the new list: the highest ever (``SYSTEM_STATE``)."""
    players = (
        list_state.select("fide_id", "rating")
        .join(before.select("fide_id", "category"), on="fide_id", how="left", maintain_order="left")
        .join(promotions.select("fide_id", "promotion"), on="fide_id", how="left", maintain_order="left")
        .with_columns(pl.col("category", "promotion").fill_null(""))
        .with_columns(
            _higher(_higher(pl.col("category"), pl.col("promotion")), _category_of(pl.col("rating"), rules)).alias(
                "category"
            )
        )
    )
    categories = players.with_columns(pl.lit(month.time_control).alias("time_control"))
    return SYSTEM_STATE.completed(categories, blank_texts=True)


def _category_of(rating: pl.Expr, rules: CategoryRules) -> pl.Expr:
    """Return the category of a rating; empty below the lowest."""
    limits = (rules.third, rules.second, rules.first, rules.candidate_master, rules.master)
    category = pl.lit("")
    for limit, name in zip(limits, CATEGORIES, strict=True):
        category = pl.when(rating >= limit).then(pl.lit(name)).otherwise(category)
    return category


def _higher(category: pl.Expr, other: pl.Expr) -> pl.Expr:
    """Return the higher of two categories."""
    names = ["", *CATEGORIES]
    places = {name: place for place, name in enumerate(names)}
    highest = pl.max_horizontal(
        *(each.replace_strict(places, default=0, return_dtype=pl.Int32) for each in (category, other))
    )
    return pl.lit(pl.Series(names)).gather(highest)


@dataclass(frozen=True, slots=True)
class SumStepRules(TableRules):
    """The expected score of an event: the sum of the table's values, rounded to a multiple of ``sum_step``."""

    sum_step: Whole


@dataclass(frozen=True, slots=True)
class BandCoefficientRules:
    """K: ``low`` below ``low_below``, ``middle`` up to ``middle_to`` inclusive, ``high`` above."""

    low: Whole
    low_below: Whole
    middle: Whole
    middle_to: Whole
    high: Whole


@dataclass(frozen=True, slots=True)
class RefreshRules:
    """The own rating in use takes up the changes so far after every ``refresh_every`` events; 0: never."""

    refresh_every: Whole
    halves: Literal["up_of_rating"]


@dataclass(frozen=True, slots=True)
class Fsi1998Rules(SystemSections):
    """The Italian Elo of 1998 to 2000."""

    SYSTEM: ClassVar = "fsi-1998"
    expected_score: SumStepRules
    development_coefficient: BandCoefficientRules
    change: RefreshRules
    entry: PromotionRules
    category: CategoryRules


def rate(month: SystemMonth, rules: Fsi1998Rules) -> SystemResult:
    """Calculate the list of ``month``.

    An unlisted opponent counts as ``entry.unclassified``. The own rating in use takes up the changes after every fourth
    event; opponents stay at the list before. The best promotion of the period counts.
    """
    sides = _sides(month, rules).with_row_index("row")
    scored_sides, sums = _in_blocks(sides, month, rules)
    before = month.before.with_columns(known_category(rules.category).alias("category"))
    promotions = best_promotions(sides, before, rules.entry)
    unlisted = sides.filter(pl.col("reason") == "counts_for_promotion")
    played = unlisted.group_by("fide_id").agg(pl.len().cast(pl.Int32).alias("games"))
    computed = _computed(sums, promotions, played, before)
    list_state = next_state(month, computed, coefficient(rules.development_coefficient, pl.col("rating")))
    sides = sides.join(scored_sides, on="row", how="left", maintain_order="left")
    return SystemResult(
        changes=changes_of(month, computed),
        list_state=list_state,
        sides=as_sides(sides.with_columns(pl.coalesce("own", "rating").alias("rating"))),
        system_state=new_categories(month, list_state, before, promotions, rules.category),
    )


_OF_GAME = ("own", "difference_used", "k", "expected_hundredths", "change_hundredths")
"""What is computed of a side, and the own rating that it uses."""


def _sides(month: SystemMonth, rules: Fsi1998Rules) -> pl.DataFrame:
    """Return the sides with their reason and ``event_rank``; an unlisted opponent counts as unclassified."""
    unlisted = pl.lit("counts_for_promotion", dtype=month.sides.schema["reason"])
    is_event_rated = pl.col("reason").is_not_null()
    unclassified = pl.lit(rules.entry.unclassified, dtype=pl.Int32)
    return month.with_event_rank(month.sides).with_columns(
        pl.when((pl.col("reason") == "") & pl.col("rating").is_null())
        .then(unlisted)
        .otherwise("reason")
        .alias("reason"),
        pl.col("opponent_rating").is_not_null().alias("is_opponent_listed"),
        pl.when(is_event_rated).then(pl.col("opponent_rating").fill_null(unclassified)).alias("opponent_rating"),
    )


def _in_blocks(sides: pl.DataFrame, month: SystemMonth, rules: Fsi1998Rules) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the counted sides by ``row`` with :data:`_OF_GAME`, and the sums of every player with such games.

    The own rating in use begins at that of the list before, and takes up the changes after every block of events. The
    sums: ``fide_id``, ``games``, ``least_k``, ``largest_k``, ``change_hundredths`` and ``after``.
    """
    every = rules.change.refresh_every
    place = pl.col("event_rank").rank("dense").over("fide_id") - 1
    counting = counted(sides).with_columns(block=(place // every) if every else pl.lit(0))
    table, k = month.tables[rules.expected_score.table], coefficient(rules.development_coefficient, pl.col("own"))
    in_use = month.before.select("fide_id", own="rating")
    parts, sums = [], []
    for block in counting["block"].unique().sort() if len(counting) else [0]:
        of_block = with_facts(counting.filter(pl.col("block") == block), in_use)
        parts.append(scored(of_block, k, table, "hundredths", rules.expected_score.cap, own="own"))
        sums.append(_of_players(parts[-1], rules))
        in_use = in_use.update(sums[-1].select("fide_id", own="after"), on="fide_id")
    of_players = (
        pl.concat(sums)
        .group_by("fide_id", maintain_order=True)
        .agg(
            pl.col("games").sum(),
            pl.col("least_k").min(),
            pl.col("largest_k").max(),
            pl.col("change_hundredths").sum(),
            pl.col("after").last(),
        )
    )
    return pl.concat(parts).select("row", *_OF_GAME), of_players


def _of_players(sides: pl.DataFrame, rules: Fsi1998Rules) -> pl.DataFrame:
    """Sum the scored sides of a block by player, event by event, and return the rating after them.

    The expected score of an event is rounded to a multiple of ``sum_step`` hundredths; a sum of whole hundredths is
    never halfway between two multiples of 5.
    """
    step = rules.expected_score.sum_step
    of_events = sides.group_by("fide_id", "event_rank").agg(
        pl.col("own", "k").first(),
        pl.len().cast(pl.Int32).alias("games"),
        pl.col("score_halves").sum(),
        (step * half_up(pl.col("expected_hundredths").sum(), step)).alias("expected"),
    )
    change = change_hundredths(pl.col("k"), pl.col("score_halves"), pl.col("expected")).sum()
    return of_events.group_by("fide_id").agg(
        pl.col("games").sum(),
        pl.col("k").min().alias("least_k"),
        pl.col("k").max().alias("largest_k"),
        change.alias("change_hundredths"),
        half_up(100 * pl.col("own").first() + change, 100).cast(pl.Int32).alias("after"),
    )


def coefficient(rules: BandCoefficientRules, rating: pl.Expr) -> pl.Expr:
    """Return K of a player by the own rating in use."""
    return (
        pl.when(rating < rules.low_below)
        .then(rules.low)
        .when(rating <= rules.middle_to)
        .then(rules.middle)
        .otherwise(rules.high)
        .cast(pl.Int32)
    )


def _computed(sums: pl.DataFrame, promotions: pl.DataFrame, played: pl.DataFrame, before: pl.DataFrame) -> pl.DataFrame:
    """Return the players whose rating was computed: those with games, and those promoted."""
    entering = promotions.join(before, on="fide_id", how="anti")
    entered = (
        entering.lazy()
        .join(played.lazy(), on="fide_id")
        .select(
            "fide_id",
            "games",
            pl.col("promoted_to").alias("new_rating"),
        )
    )
    listed = (
        sums.lazy()
        .join(before.lazy().select("fide_id", pl.col("rating").alias("old_rating")), on="fide_id")
        .join(promotions.lazy(), on="fide_id", how="left")
        .with_columns(pl.max_horizontal("after", "promoted_to").alias("new_rating"))
        .select(
            "fide_id",
            "games",
            "new_rating",
            pl.when(pl.col("least_k") == pl.col("largest_k")).then("least_k").alias("k"),
            "change_hundredths",
            (pl.col("new_rating") - pl.col("old_rating")).alias("change"),
        )
    )
    return pl.concat([listed, entered], how="diagonal").collect()


SYSTEM = RatingSystem(
    Fsi1998Rules,
    rate,
)
"""The system as the program knows it."""
