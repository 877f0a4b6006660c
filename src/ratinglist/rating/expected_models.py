"""The logistic curve: what share of the points a rating difference is worth, where a regulation names it.

FIDE's lists use the table of the regulations in whole numbers (:mod:`ratinglist.rating.change`).
"""

from __future__ import annotations

import math

import polars as pl

LOGISTIC_SCALE = 400 / math.log(10)
"""Points per unit of the logistic curve: 173.7178. Its slope at a difference of 0 is a quarter of its inverse."""


def logistic(difference: pl.Expr) -> pl.Expr:
    """Return 1 / (1 + 10^(−difference/400)), the model of Bradley and Terry."""
    return 1 / (1 + (-difference / LOGISTIC_SCALE).exp())
