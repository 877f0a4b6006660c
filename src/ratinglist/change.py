"""The change of a rated player: per game in hundredths, summed, and rounded in one place (8.3.2, 8.3.4)."""

from __future__ import annotations

import polars as pl

from ratinglist.rules import ChangeRules


def change_hundredths(k: pl.Expr, score_halves: pl.Expr, expected_hundredths: pl.Expr) -> pl.Expr:
    """K × (score − expected score) of one game, in hundredths of a point."""
    return k * (score_halves * 50 - expected_hundredths)


def rounded(hundredths: pl.Expr) -> pl.Expr:
    """Hundredths to whole points, halves away from zero: 250 gives 3 and −250 gives −3 (8.3.4)."""
    return hundredths.sign() * ((hundredths.abs() + 50) // 100)


def sum_changes(games: pl.DataFrame, rules: ChangeRules) -> pl.DataFrame:
    """Sum the rated games of each player.

    In: one row per rated side with ``fide_id``, ``event_no``, ``k``, ``change_hundredths``. Out: one row per player:
    ``fide_id``, ``games``, ``k`` (null where it differs), ``change_hundredths`` (exact) and ``change`` (rounded per
    period or per event, as the rule set says).
    """
    per = ["fide_id", "event_no"] if rules.rounded_per == "event" else ["fide_id"]
    return (
        games.lazy()
        .group_by(per)
        .agg(
            pl.len().cast(pl.Int32).alias("games"),
            pl.col("k").min().alias("least_k"),
            pl.col("k").max().alias("largest_k"),
            pl.col("change_hundredths").sum(),
        )
        .with_columns(rounded(pl.col("change_hundredths")).alias("change"))
        .group_by("fide_id")
        .agg(
            pl.col("games").sum(),
            pl.col("least_k").min(),
            pl.col("largest_k").max(),
            pl.col("change_hundredths").sum(),
            pl.col("change").sum(),
        )
        .select(
            "fide_id",
            "games",
            pl.when(pl.col("least_k") == pl.col("largest_k")).then("least_k").alias("k"),
            "change_hundredths",
            "change",
        )
        .collect()
    )
