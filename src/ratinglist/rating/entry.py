"""Unrated players: tranches of results, the pool in which they wait, and the initial rating (7.1.4, 8.2)."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ratinglist.period import Period
from ratinglist.rating.rules import EntryRules, RuleSet
from ratinglist.tables import ENTRY, POOL

_HUNDREDTH = pl.lit("0.01").cast(pl.Decimal(3, 2))


def is_expired(counted_month: pl.Expr, period: Period, rules: EntryRules) -> pl.Expr:
    """Return whether a result that the list ``counted_month`` (text) counted is too old for the list of ``period``.

    A result counts on ``window_lists`` consecutive lists, its first one included.
    """
    return counted_month <= str(period - rules.window_lists)


def waiting_results(pool: pl.DataFrame, period: Period, rules: Mapping[str, RuleSet]) -> pl.DataFrame:
    """Return the pool of the list before without the results that have expired."""
    return pl.concat(
        [
            pool.clear(),
            *[
                pool.filter(
                    pl.col("time_control") == time_control,
                    ~is_expired(pl.col("counted_month"), period, rule_set.entry),
                )
                for time_control, rule_set in rules.items()
            ],
        ]
    )


def judge_tranches(tranches: pl.DataFrame, waiting: pl.DataFrame, rules: EntryRules) -> pl.DataFrame:
    """Decide for each new tranche (the results of one player in one event) whether it counts.

    In: ``tranches`` with ``fide_id``, ``pool_id``, ``start_date``, ``end_date``, and ``games`` and ``score_halves``
    against rated opponents; ``waiting``: the pool that has not expired (``fide_id``). Out: the tranches with
    ``reason``: ``tranche_too_small`` (a reading of course-tranche), ``zero_first_event`` (8.2.1: a score of zero is
    disregarded for good while the player has no counted result), else ``counts_for_entry``. Tranches are ordered by
    start date, end date and event.
    """
    too_small = (pl.col("games") < rules.tranche_min_games) | (pl.col("score_halves") < rules.tranche_min_halves)
    in_order = ["start_date", "end_date", "pool_id"]
    # In this event or in an earlier one.
    has_scored = ((pl.col("score_halves") > 0) & ~too_small).cum_sum().over("fide_id", order_by=in_order) > 0
    has_waiting = pl.col("fide_id").is_in(waiting["fide_id"].unique().implode())
    return tranches.with_columns(
        pl.when(too_small)
        .then(pl.lit("tranche_too_small"))
        .when(has_scored | has_waiting)
        .then(pl.lit("counts_for_entry"))
        .otherwise(pl.lit("zero_first_event"))
        .alias("reason")
    )


def count_into_pool(waiting: pl.DataFrame, counted: pl.DataFrame, period: Period, rules: EntryRules) -> pl.DataFrame:
    """Add the tranches that this list counts to the ``waiting`` pool.

    In: ``counted`` with ``time_control``, ``fide_id``, ``pool_id``, ``games``, ``score_halves`` and
    ``opponent_rating_sum``. Out: :data:`~ratinglist.tables.POOL`.
    """
    new = counted.with_columns(
        pl.col("pool_id").alias("event_id"),
        pl.lit(str(period)).alias("counted_month"),
        pl.lit(str(period + rules.window_lists)).alias("expires_month"),
    )
    return pl.concat([POOL.conform(waiting), POOL.conform(new)])


def share_hundredths(score_halves: pl.Expr, games: pl.Expr) -> pl.Expr:
    """Return p, the share of the points, rounded half up to hundredths."""
    return (100 * score_halves + games) // (2 * games)


def mean_and_difference(rating_sum: pl.Expr, dp: pl.Expr, games: pl.Expr) -> pl.Expr:
    """Return the mean of the opponents' ratings plus the rating difference, rounded half up once."""
    return (2 * (rating_sum + dp * games) + games) // (2 * games)


def compute_entries(pool: pl.DataFrame, rules: EntryRules, performance: pl.Series, floor: int) -> pl.DataFrame:
    """Compute the initial rating of every player in the pool. Every list does so from the pool it has.

    In: ``pool``: :data:`~ratinglist.tables.POOL`; ``performance``: the table of rating differences by share of the
    points; ``floor`` of the list. Out: :data:`~ratinglist.tables.ENTRY`; ``reason`` is ``too_few_games``,
    ``below_floor`` or empty. p is rounded half up to hundredths, Ra is not rounded, the rating is rounded half up once.
    """
    sums = pool.group_by("time_control", "fide_id").agg(
        pl.col("games").sum(), pl.col("score_halves").sum(), pl.col("opponent_rating_sum").sum()
    )
    draws = 2 if rules.method == "two_draws_at_1800" else 0
    games = pl.col("games") + draws
    halves = pl.col("score_halves") + draws
    total = pl.col("opponent_rating_sum") + draws * 1800
    p = share_hundredths(halves, games)
    dp_of_table = pl.lit(performance).gather(p)
    if rules.method == "twenty_per_half_point":
        # 50 % is one half point per game.
        above_half = pl.col("score_halves") - pl.col("games")
        dp = pl.when(above_half >= 0).then(20 * above_half).otherwise(dp_of_table)
    else:
        dp = dp_of_table
    rating = mean_and_difference(total, pl.col("dp"), games)
    if rules.maximum:
        rating = pl.min_horizontal(rating, rules.maximum)
    return ENTRY.conform(
        sums.with_columns(p.alias("p_hundredths"), dp.alias("dp"))
        .with_columns(
            # Hundredths, half up. Multiplying by 0.01 keeps both decimal places; dividing a decimal would drop them.
            ((200 * total.cast(pl.Int64) + games) // (2 * games) * _HUNDREDTH).alias("opponent_average"),
            pl.when(pl.col("games") >= rules.min_games).then(rating).alias("computed_rating"),
        )
        .with_columns((pl.col("computed_rating") >= floor).fill_null(value=False).alias("published"))
        .with_columns(
            pl.when(pl.col("computed_rating").is_null())
            .then(pl.lit("too_few_games"))
            .when(~pl.col("published"))
            .then(pl.lit("below_floor"))
            .otherwise(pl.lit(""))
            .alias("reason")
        )
    )
