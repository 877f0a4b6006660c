"""The groups that games are scored by: the same for all systems, from the list that a study starts with."""

from __future__ import annotations

import polars as pl

from ratinglist.analysis.laboratory.predictions import PREDICTION_TABLE

RATING_BAND = 200
_YOUTH, _SENIOR = 18, 65


def game_groups(games: pl.DataFrame, listed: pl.DataFrame, births: pl.DataFrame, year: int) -> pl.DataFrame:
    """Return the key of every game with ``rating_band``, ``newcomers`` and ``age``, as texts; null: not known.

    In: ``games`` with the key of a prediction; ``listed``: ``fide_id`` and ``rating`` of the list that the study starts
    with; ``births``: ``fide_id`` and ``birth_year``; ``year``: that of the first month.

    - ``rating_band``: the lower end of the band of 200 points with the mean rating of both players.
    - ``newcomers``: ``yes`` where one of the two is not on that list, else ``no``.
    - ``age``: that of the younger player: ``under 18``, ``18 to 64``, ``65 and over``.
    """
    keys = games.select(PREDICTION_TABLE.key).unique()
    facts = listed.select("fide_id", "rating").join(
        births.select("fide_id", "birth_year"), on="fide_id", how="full", coalesce=True
    )
    for colour in ("white", "black"):
        of_colour = facts.rename({"rating": f"{colour}_rating", "birth_year": f"{colour}_birth"})
        keys = keys.join(of_colour, left_on=f"{colour}_id", right_on="fide_id", how="left")
    band = (pl.col("white_rating") + pl.col("black_rating")) // (2 * RATING_BAND) * RATING_BAND
    is_listed = pl.col("white_rating").is_not_null() & pl.col("black_rating").is_not_null()
    age = year - pl.max_horizontal("white_birth", "black_birth")
    return keys.select(
        *PREDICTION_TABLE.key,
        band.cast(pl.String).alias("rating_band"),
        pl.when(is_listed).then(pl.lit("no")).otherwise(pl.lit("yes")).alias("newcomers"),
        pl.when(age < _YOUTH)
        .then(pl.lit("under 18"))
        .when(age < _SENIOR)
        .then(pl.lit("18 to 64"))
        .when(age >= _SENIOR)
        .then(pl.lit("65 and over"))
        .alias("age"),
    )


def no_groups(games: pl.DataFrame) -> pl.DataFrame:
    """Return the key of every game without a group."""
    keys = games.select(PREDICTION_TABLE.key).unique()
    return keys.with_columns(pl.lit(None, dtype=pl.String).alias(name) for name in ("rating_band", "newcomers", "age"))
