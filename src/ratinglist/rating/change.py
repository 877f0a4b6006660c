"""The change of a rated player: per game in hundredths, summed, and rounded in one place (8.3.2, 8.3.4)."""

from __future__ import annotations

import polars as pl

from ratinglist.rating.rules import ChangeRules


def change_hundredths(k: pl.Expr, score_halves: pl.Expr, expected_hundredths: pl.Expr) -> pl.Expr:
    """K × (score − expected score) of one game, in hundredths of a point."""
    return k * (score_halves * 50 - expected_hundredths)


def rounded(hundredths: pl.Expr) -> pl.Expr:
    """Hundredths to whole points, halves away from zero: 250 gives 3 and −250 gives −3 (8.3.4)."""
    return hundredths.sign() * ((hundredths.abs() + 50) // 100)


def sum_changes(rated: pl.DataFrame, rules: ChangeRules) -> pl.DataFrame:
    """Sum the rated games of each player.

    In: one row per player and event with ``fide_id``, ``games``, ``k`` and ``change_hundredths`` (the sum of the
    event's rated games). Out: one row per player: ``fide_id``, ``games``, ``k`` (null where it differs),
    ``change_hundredths`` (exact) and ``change`` (rounded per period or per event, as the rule set says).
    """
    rounded_before = rounded(pl.col("change_hundredths")).sum()
    rounded_after = rounded(pl.col("change_hundredths").sum())
    return (
        rated.lazy()
        .group_by("fide_id")
        .agg(
            pl.col("games").sum(),
            pl.col("k").min().alias("least_k"),
            pl.col("k").max().alias("largest_k"),
            pl.col("change_hundredths").sum(),
            (rounded_before if rules.rounded_per == "event" else rounded_after).alias("change"),
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
