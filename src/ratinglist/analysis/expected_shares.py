"""The expected score of one player against another by every model, with the probabilities of a win and of a draw."""

from __future__ import annotations

import polars as pl

from ratinglist.rating import expected_models as models
from ratinglist.rating.expected import expected_hundredths

CUTS = {"table": None, "table_350": 350, "table_400": 400}
"""The models that look the difference up in the table of the regulations, and how far it is cut first."""

MODELS = ("logistic", "normal", "linear", *CUTS)


def ingo_share(own: int, opponent: int) -> tuple[pl.DataFrame, int]:
    """Return what a player with one Ingo number expects against another, and the difference in points of rating.

    Out: the row of the model ``ingo``, as :func:`expected_shares` returns rows, and the difference of the ratings that
    the two numbers are worth.
    """
    numbers = pl.lit(own, dtype=pl.Int64), pl.lit(opponent, dtype=pl.Int64)
    difference = pl.select(models.rating_of_ingo(numbers[0]) - models.rating_of_ingo(numbers[1])).item()
    row = pl.select(pl.lit("ingo").alias("model"), (models.ingo_percent(*numbers) / 100).alias("expected"))
    return _with_probabilities(row), difference


def expected_shares(difference: int, table: pl.Series) -> pl.DataFrame:
    """Return what a player expects to score who is rated ``difference`` points above the opponent.

    ``table``: the higher rated player's expected score in hundredths by the absolute difference. Out: one row per model
    of :data:`MODELS`: ``model``, ``expected``, ``opponent_expected``, ``win``, ``draw`` and ``loss``, all shares of 1.
    """
    d = pl.lit(difference, dtype=pl.Int64)
    cut = {name: d if limit is None else d.clip(-limit, limit) for name, limit in CUTS.items()}
    shares = {
        "logistic": models.logistic(d),
        "normal": models.normal(d),
        "linear": models.linear_units(d) / models.LINEAR_UNITS,
        **{name: expected_hundredths(used, table) / 100 for name, used in cut.items()},
    }
    rows = pl.concat([pl.select(pl.lit(name).alias("model"), shares[name].alias("expected")) for name in MODELS])
    return _with_probabilities(rows)


def _with_probabilities(rows: pl.DataFrame) -> pl.DataFrame:
    draw = models.draw_probability(pl.col("expected"))
    return rows.with_columns(
        (1 - pl.col("expected")).alias("opponent_expected"),
        (pl.col("expected") - draw / 2).alias("win"),
        draw.alias("draw"),
        (1 - pl.col("expected") - draw / 2).alias("loss"),
    )
