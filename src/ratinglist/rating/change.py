"""The change of a rated player: computed per game in hundredths, summed, rounded in one place (8.3.2, 8.3.4)."""

from __future__ import annotations

import polars as pl

from ratinglist.rating.fide_rules import ChangeRules


def surplus_hundredths(score_halves: pl.Expr, expected_hundredths: pl.Expr) -> pl.Expr:
    """Return the score less the expected score, of one game or of several, in hundredths."""
    return score_halves * 50 - expected_hundredths


def change_hundredths(k: pl.Expr, score_halves: pl.Expr, expected_hundredths: pl.Expr) -> pl.Expr:
    """Return K × (score − expected score) of one game, in hundredths of a point."""
    return k * surplus_hundredths(score_halves, expected_hundredths)


def rounded(hundredths: pl.Expr) -> pl.Expr:
    """Round hundredths to whole points, .5 away from zero: 250 becomes 3 and −250 becomes −3 (8.3.4)."""
    return hundredths.sign() * ((hundredths.abs() + 50) // 100)


def sum_changes(rated: pl.DataFrame, rules: ChangeRules) -> pl.DataFrame:
    """Sum the changes of each player over the events of the period.

    In: one row per player and event with ``fide_id``, ``games``, ``k`` and ``change_hundredths`` (the sum of the
    event's rated games). Out: one row per player: ``fide_id``, ``games``, ``k`` (null where the events had different
    ones), ``change_hundredths`` (exact) and ``change`` (in points, rounded once per period or once per event, as
    ``rounded_per`` of the rule set states).
    """
    sum_of_rounded = rounded(pl.col("change_hundredths")).sum()
    rounded_sum = rounded(pl.col("change_hundredths").sum())
    return (
        rated.lazy()
        .group_by("fide_id")
        .agg(
            pl.col("games").sum(),
            pl.col("k").min().alias("least_k"),
            pl.col("k").max().alias("largest_k"),
            pl.col("change_hundredths").sum(),
            (sum_of_rounded if rules.rounded_per == "event" else rounded_sum).alias("change"),
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
