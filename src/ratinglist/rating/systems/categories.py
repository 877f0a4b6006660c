"""The categories of the Italian Elo of 1998: who is promoted to one by an event, and the highest that a player had."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ratinglist.rating.systems.month import SystemMonth, with_facts
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
    found = (
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
    rows = found.with_columns(pl.lit(month.time_control).alias("time_control"))
    return SYSTEM_STATE.completed(rows, blank_texts=True)


def _category_of(rating: pl.Expr, rules: CategoryRules) -> pl.Expr:
    """Return the category of a rating; empty below the lowest."""
    limits = (rules.third, rules.second, rules.first, rules.candidate_master, rules.master)
    found = pl.lit("")
    for limit, name in zip(limits, CATEGORIES, strict=True):
        found = pl.when(rating >= limit).then(pl.lit(name)).otherwise(found)
    return found


def _higher(one: pl.Expr, other: pl.Expr) -> pl.Expr:
    """Return the higher of two categories."""
    names = ["", *CATEGORIES]
    places = {name: place for place, name in enumerate(names)}
    highest = pl.max_horizontal(
        *(each.replace_strict(places, default=0, return_dtype=pl.Int32) for each in (one, other))
    )
    return pl.lit(pl.Series(names)).gather(highest)
