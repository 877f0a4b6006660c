"""The Italian Elo of 1998 to 2000: two lists a year, sums rounded to .05, entry by promotion to a category."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from ratinglist.rating.expected import expected_hundredths
from ratinglist.rating.system_rules import BandCoefficientRules, Fsi1998Rules
from ratinglist.rating.systems.categories import (
    best_promotions,
    games_of_unlisted,
    known_category,
    new_categories,
    promotion_steps,
)
from ratinglist.rating.systems.month import SystemMonth, SystemResult, as_sides, half_up
from ratinglist.rating.systems.new_list import changes_of, next_state
from ratinglist.schemas import POOL, SYSTEM_SIDE


def rate(month: SystemMonth, rules: Fsi1998Rules) -> SystemResult:
    """Calculate the list of ``month``.

    An unlisted opponent counts as ``entry.unclassified``. The own rating in use takes up the changes after every fourth
    event; opponents stay at the list before. The best promotion of the period counts.
    """
    sides = _sides(month, rules)
    rated = _rated(sides.filter(pl.col("reason") == ""), month, rules)
    result = _list(month, _sums(rated), promotion_steps(sides, month, rules), games_of_unlisted(sides), rules)
    of_game = rated.select("row", "own", "k", "difference_used", "expected_hundredths", "change_hundredths")
    sides = sides.join(of_game, on="row", how="left", maintain_order="left")
    return replace(result, sides=as_sides(sides.with_columns(pl.coalesce("own", "rating").alias("rating"))))


@dataclass(frozen=True, slots=True)
class PartOfPeriod:
    """What the list needs of the games of some events.

    ``counted``: the counted sides: ``fide_id``, ``event_rank``, ``opponent_rating``, ``score_halves``. ``steps``:
    :func:`promotion_steps`. ``played``: :func:`games_of_unlisted`.
    """

    counted: pl.DataFrame
    steps: pl.DataFrame
    played: pl.DataFrame


def of_part(month: SystemMonth, rules: Fsi1998Rules) -> tuple[PartOfPeriod, pl.DataFrame]:
    """Return what the list needs of the sides of ``month``, and these with their reason."""
    sides = _sides(month, rules)
    counted = sides.filter(pl.col("reason") == "").select(*_OF_SIDE).cast(_OF_SIDE)
    return PartOfPeriod(counted, promotion_steps(sides, month, rules), games_of_unlisted(sides)), sides


def of_parts(month: SystemMonth, parts: Sequence[PartOfPeriod], rules: Fsi1998Rules) -> SystemResult:
    """Calculate the list from all events, part by part; the sides of ``month`` are not read, and none returned.

    The games of some players after those of others, because the rating in use takes all games of a player.
    """
    counted = pl.concat(one.counted for one in parts)
    buckets = counted.height // _SIDES_AT_ONCE + 1
    sums = []
    for bucket in range(buckets):
        of_players = counted.filter(pl.col("fide_id") % buckets == bucket)
        of_players = of_players.cast({"opponent_rating": pl.Int32, "score_halves": pl.Int32})
        sums.append(_sums(_rated(of_players, month, rules)))
    steps = pl.concat(one.steps for one in parts).group_by("fide_id").agg(pl.col("step").max())
    played = pl.concat(one.played for one in parts).group_by("fide_id").agg(pl.col("games").sum())
    return _list(month, pl.concat(sums), steps, played, rules)


_OF_SIDE = {"fide_id": pl.Int64, "event_rank": pl.UInt32, "opponent_rating": pl.Int16, "score_halves": pl.Int8}
"""The columns of a counted side that are kept of all events of a period, in as few bytes as they need."""

_SIDES_AT_ONCE = 4_000_000
"""About how many sides are rated at once: those of a month of the world."""


def _list(
    month: SystemMonth, sums: pl.DataFrame, steps: pl.DataFrame, played: pl.DataFrame, rules: Fsi1998Rules
) -> SystemResult:
    """Return the list without sides.

    In: :func:`_sums` of all players, :func:`promotion_steps` and :func:`games_of_unlisted` of all events.
    """
    before = month.before.with_columns(known_category(rules.category).alias("category"))
    promotions = best_promotions(steps, rules.entry)
    computed = _computed(sums, promotions, played, before)
    k = _coefficient(rules.development_coefficient, pl.col("rating"))
    list_state = next_state(month, computed, k)
    return SystemResult(
        sides=SYSTEM_SIDE.empty(),
        changes=changes_of(month, computed),
        list_state=list_state,
        system_state=new_categories(month, list_state, before, promotions, rules.category),
        pool=POOL.empty(),
    )


def _sides(month: SystemMonth, rules: Fsi1998Rules) -> pl.DataFrame:
    """Return the sides with ``row``, reason and ``event_rank``; an unlisted opponent counts as unclassified."""
    unlisted = pl.lit("counts_for_promotion", dtype=month.sides.schema["reason"])
    is_event_rated = pl.col("reason").is_not_null()
    unclassified = pl.lit(rules.entry.unclassified, dtype=pl.Int32)
    return (
        month.sides.join(month.event_order(), on="event_no", how="left", maintain_order="left")
        .with_row_index("row")
        .with_columns(
            pl.when((pl.col("reason") == "") & pl.col("rating").is_null())
            .then(unlisted)
            .otherwise("reason")
            .alias("reason"),
            pl.col("opponent_rating").is_not_null().alias("is_opponent_listed"),
            pl.when(is_event_rated).then(pl.col("opponent_rating").fill_null(unclassified)).alias("opponent_rating"),
        )
    )


def _rated(counted: pl.DataFrame, month: SystemMonth, rules: Fsi1998Rules) -> pl.DataFrame:
    """Return the counted sides with the own rating in use, K, expected score and change; in: all those of a player.

    Out: also ``sum_hundredths`` (the change of the whole event, once per event, else 0) and ``after``: the player's
    rating after the block of events that the game belongs to.
    """
    every = rules.change.refresh_every
    place = pl.col("event_rank").rank("dense").over("fide_id") - 1
    placed = counted.with_columns(
        (place // every if every else pl.lit(0)).cast(pl.Int32).alias("block"),
        pl.lit(None, dtype=pl.Int32).alias("own"),
    )
    in_use = month.before.select("fide_id", pl.col("rating").alias("own"))
    parts = [_no_block(placed)]
    # Few players have more than four events in a period, hardly any more than eight.
    for block in placed["block"].unique().sort():
        of_block = placed.filter(pl.col("block") == block).drop("own")
        found, in_use = _block(of_block, in_use, month.tables[rules.expected_score.table], rules)
        parts.append(found)
    return pl.concat(parts, how="diagonal_relaxed")


def _no_block(placed: pl.DataFrame) -> pl.DataFrame:
    """Return no rows, with the columns of :func:`_block`."""
    names = ("difference_used", "expected_hundredths", "k", "change_hundredths", "sum_hundredths", "after")
    return placed.clear().with_columns(pl.lit(None, dtype=pl.Int32).alias(name) for name in names)


def _block(
    sides: pl.DataFrame, in_use: pl.DataFrame, table: pl.Series, rules: Fsi1998Rules
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rate the events of a block with the rating in use: ``fide_id``, ``own``; return the sides and the rating after.

    The expected score of an event is the sum of its games, rounded to a multiple of ``sum_step`` hundredths. A sum of
    whole hundredths is never halfway between two multiples of 5.
    """
    cap, step = rules.expected_score.cap, rules.expected_score.sum_step
    of_event = ["fide_id", "event_rank"]
    rated = (
        sides.lazy()
        .join(in_use.lazy(), on="fide_id", how="left", maintain_order="left")
        .with_columns(
            (pl.col("own") - pl.col("opponent_rating")).clip(-cap, cap).alias("difference_used"),
            _coefficient(rules.development_coefficient, pl.col("own")).alias("k"),
        )
        .with_columns(expected_hundredths(pl.col("difference_used"), table).alias("expected_hundredths"))
        .with_columns(
            (pl.col("k") * (50 * pl.col("score_halves") - pl.col("expected_hundredths"))).alias("change_hundredths")
        )
        .with_columns(
            pl.when(pl.int_range(pl.len()).over(of_event) == 0)
            .then(
                pl.col("k")
                * (
                    50 * pl.col("score_halves").sum().over(of_event)
                    - step * half_up(pl.col("expected_hundredths").sum().over(of_event), step)
                )
            )
            .otherwise(0)
            .alias("sum_hundredths")
        )
        .with_columns(
            half_up(100 * pl.col("own") + pl.col("sum_hundredths").sum().over("fide_id"), 100)
            .cast(pl.Int32)
            .alias("after")
        )
        .collect()
    )
    after = rated.select("fide_id", "after").unique()
    return rated, in_use.join(after, on="fide_id", how="left").select(
        "fide_id", pl.coalesce("after", "own").alias("own")
    )


def _coefficient(rules: BandCoefficientRules, rating: pl.Expr) -> pl.Expr:
    """Return K by the own rating in use."""
    return (
        pl.when(rating < rules.low_below)
        .then(rules.low)
        .when(rating <= rules.middle_to)
        .then(rules.middle)
        .otherwise(rules.high)
        .cast(pl.Int32)
    )


def _sums(rated: pl.DataFrame) -> pl.DataFrame:
    """Return the games, K, change and rating after the period of every player; in: :func:`_rated`."""
    return rated.group_by("fide_id").agg(
        pl.len().cast(pl.Int32).alias("games"),
        pl.col("k").min().alias("least_k"),
        pl.col("k").max().alias("largest_k"),
        pl.col("sum_hundredths").sum().alias("change_hundredths"),
        pl.col("after").sort_by("block").last(),
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
