"""The losses of one system over some games, summed by group and by difference of the ratings.

Of a game, e is White's expected score and y White's score. Log loss is −[y ln e + (1−y) ln(1−e)] with e limited to
[.01, .99]; deviance is the same with log10, so that a constant ½ gives .30103; Brier is (e − y)². Every loss is rounded
to 1e-9 and summed in whole numbers: the same on any number of threads.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import polars as pl

from ratinglist.analysis.laboratory.predictions import UNIT

LOSSES = ("log_loss", "deviance", "brier")
"""The measures; the lower the better."""

CALIBRATION_BAND = 50
_LIMIT = 0.01

OF_CALIBRATION = ("expected", "halves", "log_loss")
OF_SYSTEM = (*OF_CALIBRATION, "deviance", "brier")
"""What is summed of every system: expected scores and losses in units of 1e-9, and half points."""


def with_losses(predictions: pl.DataFrame) -> pl.DataFrame:
    """Return the predictions with each loss in units of 1e-9, named as in :data:`LOSSES`; null where there is none."""
    y = pl.col("score_halves") / 2
    e = pl.col("expected_billionths") / UNIT
    limited = e.clip(_LIMIT, 1 - _LIMIT)
    # In two steps: Polars would take the logarithms again for the deviance.
    loss = predictions.with_columns(log_loss=-(y * limited.log() + (1 - y) * (1 - limited).log()))
    losses = {"log_loss": pl.col("log_loss"), "deviance": pl.col("log_loss") / math.log(10), "brier": (e - y) * (e - y)}
    return loss.with_columns((UNIT * value).round().cast(pl.Int64).alias(name) for name, value in losses.items())


@dataclass(frozen=True, slots=True)
class SystemSums:
    """The sums of one system over some games.

    ``unrated``: counted games that it does not predict. ``bands``: :func:`_by_difference`. ``groups``: ``group`` and
    :data:`OF_SYSTEM`.
    """

    unrated: int
    bands: pl.DataFrame
    groups: pl.DataFrame


def sum_system(rows: pl.DataFrame, name: str) -> SystemSums:
    """Return the sums of a system; in: its predictions with the ``group`` of every game."""
    is_counted, expected = pl.col("score_halves").is_not_null(), pl.col("expected_billionths")
    unrated = int(rows.select((is_counted & expected.is_null()).sum()).item())
    if rows["expected_billionths"].null_count():
        rows = rows.filter(expected.is_not_null())
    rows = with_losses(rows).with_columns(
        expected.cast(pl.Int64).alias("expected"), pl.col("score_halves").cast(pl.Int64).alias("halves")
    )
    return SystemSums(unrated, _by_difference(rows, name), rows.group_by("group").agg(pl.col(OF_SYSTEM).sum()))


def _by_difference(rows: pl.DataFrame, name: str) -> pl.DataFrame:
    """Return the sums of a system's predicted games by the band of White's rating less Black's."""
    band = pl.col("difference") // CALIBRATION_BAND * CALIBRATION_BAND
    return (
        rows.group_by(band.alias("value"))
        .agg(pl.len().cast(pl.Int64).alias("games"), pl.col(OF_CALIBRATION).sum())
        .select(pl.lit(name).alias("system"), pl.col("value").cast(pl.String), pl.exclude("value"))
        .with_columns(pl.lit("difference").alias("grouping"))
    )
