"""The Italian Elo of 1998 to 2000: two lists a year, sums rounded to .05, entry by promotion to a category."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import polars as pl

from ratinglist.rating.change import change_hundredths
from ratinglist.rating.system_rules import SystemSections, TableRules
from ratinglist.rating.systems.categories import (
    CategoryRules,
    PromotionRules,
    best_promotions,
    games_of_unlisted,
    known_category,
    new_categories,
    promotion_steps,
)
from ratinglist.rating.systems.month import COUNTS, SystemMonth, SystemResult, as_sides, counted, half_up, with_facts
from ratinglist.rating.systems.new_list import changes_of, next_state
from ratinglist.rating.systems.system import RatingSystem
from ratinglist.rating.systems.table_elo import scored
from ratinglist.strict_toml import Whole


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
    scored = _scored_by_list_before(sides, month, rules)
    sums, later = _all_blocks(_of_events(scored), scored.drop(_OF_GAME), month, rules)
    before = month.before.with_columns(known_category(rules.category).alias("category"))
    promotions = best_promotions(promotion_steps(sides, month, rules.entry, rules.category), rules.entry)
    computed = _computed(sums, promotions, games_of_unlisted(sides), before)
    list_state = next_state(month, computed, coefficient(rules.development_coefficient, pl.col("rating")))
    later = later.select("row", *_OF_GAME)
    of_game = pl.concat([scored.select("row", *_OF_GAME).join(later, on="row", how="anti"), later])
    sides = sides.join(of_game, on="row", how="left", maintain_order="left")
    return SystemResult(
        changes=changes_of(month, computed),
        list_state=list_state,
        sides=as_sides(sides.with_columns(pl.coalesce("own", "rating").alias("rating"))),
        system_state=new_categories(month, list_state, before, promotions, rules.category),
    )


_OF_GAME = ("own", "difference_used", "k", "expected_hundredths", "change_hundredths")
"""What :func:`_scored` computes of a side, and the own rating that it uses."""


def _sides(month: SystemMonth, rules: Fsi1998Rules) -> pl.DataFrame:
    """Return the sides with their reason and ``event_rank``; an unlisted opponent counts as unclassified."""
    unlisted = pl.lit("counts_for_promotion", dtype=month.sides.schema["reason"])
    is_event_rated = pl.col("reason").is_not_null()
    unclassified = pl.lit(rules.entry.unclassified, dtype=pl.Int32)
    return month.sides.with_columns(
        month.event_rank().gather(month.sides["event_no"]),
        pl.when((pl.col("reason") == "") & pl.col("rating").is_null())
        .then(unlisted)
        .otherwise("reason")
        .alias("reason"),
        pl.col("opponent_rating").is_not_null().alias("is_opponent_listed"),
        pl.when(is_event_rated).then(pl.col("opponent_rating").fill_null(unclassified)).alias("opponent_rating"),
    )


def _scored_by_list_before(sides: pl.DataFrame, month: SystemMonth, rules: Fsi1998Rules) -> pl.DataFrame:
    """Return the counted sides with :data:`_OF_GAME` by the players' ratings on the list before."""
    needed = ("row", "fide_id", "event_rank", "opponent_rating", "score_halves")
    rows = counted(sides).select(needed)
    return _scored(with_facts(rows, month.before.select("fide_id", own="rating")), month, rules)


def _scored(sides: pl.DataFrame, month: SystemMonth, rules: Fsi1998Rules) -> pl.DataFrame:
    """Return sides with difference, K, expected score and change by the ``own`` rating."""
    table, k = month.tables[rules.expected_score.table], coefficient(rules.development_coefficient, pl.col("own"))
    counting = sides.with_columns(pl.lit(COUNTS).alias("reason"))
    return scored(counting, k, table, "hundredths", rules.expected_score.cap, own="own").drop("reason")


def _of_events(scored: pl.DataFrame) -> pl.DataFrame:
    """Sum the scored sides of every player in every event.

    Out: ``fide_id``, ``event_rank``, ``own``, ``k``, ``games``, ``score_halves``, ``expected_hundredths``.
    """
    return scored.group_by("fide_id", "event_rank").agg(
        pl.col("own", "k").first(),
        pl.len().cast(pl.Int32).alias("games"),
        pl.col("score_halves", "expected_hundredths").sum(),
    )


def _all_blocks(
    events: pl.DataFrame, sides: pl.DataFrame, month: SystemMonth, rules: Fsi1998Rules
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the sums of every player with counted games, and the sides that another rating than the list's scores.

    In: ``events``: :func:`_of_events` by the list before, all of a player; ``sides``: their counted sides. The own
    rating in use takes up the changes after every fourth event: few players have more than four in a period, hardly any
    more than eight. Out: ``fide_id``, ``games``, ``least_k``, ``largest_k``, ``change_hundredths`` and ``after``.
    """
    every = rules.change.refresh_every
    place = pl.col("event_rank").rank("dense").over("fide_id") - 1
    placed = events.with_columns((place // every if every else pl.lit(0)).cast(pl.Int32).alias("block"))
    later = placed.filter(pl.col("block") > 0).select("fide_id", "event_rank", "block")
    found = [_of_players(placed.filter(pl.col("block") == 0), rules)]
    # By one column first: a join by two has a key of all sides in memory.
    sides = sides.filter(pl.col("fide_id").is_in(later["fide_id"].unique().implode()))
    sides = sides.join(later, on=["fide_id", "event_rank"])
    scored_again = [_scored(sides.clear().with_columns(pl.lit(None, dtype=pl.Int32).alias("own")), month, rules)]
    for block in later["block"].unique().sort():
        in_use = found[-1].select("fide_id", own="after")
        scored = _scored(sides.filter(pl.col("block") == block).join(in_use, on="fide_id"), month, rules)
        of_block = _of_events(scored).with_columns(pl.lit(block, pl.Int32).alias("block"))
        found.append(_of_players(of_block, rules))
        scored_again.append(scored)
    sums = (
        pl.concat(found)
        .group_by("fide_id")
        .agg(
            pl.col("games").sum(),
            pl.col("least_k").min(),
            pl.col("largest_k").max(),
            pl.col("change_hundredths").sum(),
            pl.col("after").sort_by("block").last(),
        )
    )
    return sums, pl.concat(scored_again)


def _of_players(events: pl.DataFrame, rules: Fsi1998Rules) -> pl.DataFrame:
    """Sum the events of a ``block`` of every player, and return the rating after them."""
    used = expected_used(pl.col("expected_hundredths"), rules)
    change = change_hundredths(pl.col("k"), pl.col("score_halves"), used).sum()
    return events.group_by("fide_id").agg(
        pl.col("games").sum(),
        pl.col("k").min().alias("least_k"),
        pl.col("k").max().alias("largest_k"),
        change.alias("change_hundredths"),
        after_events(pl.col("own").first(), change).cast(pl.Int32).alias("after"),
        pl.col("block").first(),
    )


def expected_used(expected_hundredths: pl.Expr, rules: Fsi1998Rules) -> pl.Expr:
    """Return the expected score of an event: the sum of its games, rounded to a multiple of ``sum_step`` hundredths.

    A sum of whole hundredths is never halfway between two multiples of 5.
    """
    step = rules.expected_score.sum_step
    return step * half_up(expected_hundredths, step)


def after_events(rating: pl.Expr, hundredths: pl.Expr) -> pl.Expr:
    """Return the rating after events that changed it by ``hundredths``, a half upwards."""
    return half_up(100 * rating + hundredths, 100)


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
            pl.col("games").alias("counted_games"),
            pl.col("promoted_to").alias("new_rating"),
            pl.lit("entered").alias("status"),
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
            pl.col("games").alias("counted_games"),
            "old_rating",
            "new_rating",
            pl.when(pl.col("least_k") == pl.col("largest_k")).then("least_k").alias("k"),
            "change_hundredths",
            (pl.col("new_rating") - pl.col("old_rating")).alias("change"),
            pl.lit("rated").alias("status"),
        )
    )
    return pl.concat([listed, entered], how="diagonal").collect()


SYSTEM = RatingSystem(
    Fsi1998Rules,
    rate,
)
"""The system as the program knows it."""
