"""The command `ratinglist convert`: what a rating of one system is worth in another, by the published formulas."""

from __future__ import annotations

import polars as pl

from ratinglist.errors import CommandLineError
from ratinglist.files import resources
from ratinglist.rating.systems.month import half_up

_UNIT = 10_000


def convert(rating: int, of_system: str) -> list[dict[str, object]]:
    """Return a row for each system that a rating is converted to: ``to``, ``rating`` and ``source``.

    A formula holds below the rating that the table states; the rating is rounded once, a half upwards. Raises
    :class:`CommandLineError` where nothing is converted from the system.
    """
    pieces = pl.read_csv(resources.data("tables") / "conversions.csv")
    found = pieces.filter(pl.col("from") == of_system, pl.col("below").is_null() | (pl.col("below") > rating))
    if found.is_empty():
        there = ", ".join(pieces["from"].unique(maintain_order=True))
        raise CommandLineError(f"No formula converts from '{of_system}'. Choose from {there}.")
    exact = rating * pl.col("factor_ten_thousandths") + _UNIT * pl.col("constant")
    return (
        found.unique("to", keep="first", maintain_order=True)
        .select("to", half_up(exact, _UNIT).alias("rating"), "source")
        .to_dicts()
    )
