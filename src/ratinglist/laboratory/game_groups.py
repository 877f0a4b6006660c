"""The groups of games whose predictions a report compares: by rating, newcomers and age."""

from __future__ import annotations

import polars as pl

RATING_BAND = 200
_YOUTH, _SENIOR = 18, 65
_AGES = pl.Enum(["under 18", "18 to 64", "65 and over"])
_NEWCOMERS = pl.Enum(["no", "yes"])


def known_players(listed: pl.DataFrame, births: pl.DataFrame) -> pl.DataFrame:
    """Return ``fide_id``, ``rating`` and ``birth_year`` of all players for :func:`game_groups`; null: not known.

    In: ``fide_id`` and ``rating`` of the list that the study starts with; ``fide_id`` and ``birth_year``.
    """
    years = births.select("fide_id", "birth_year")
    return listed.select("fide_id", "rating").join(years, on="fide_id", how="full", coalesce=True)


def game_groups(games: pl.DataFrame, known: pl.DataFrame, year: int) -> pl.DataFrame:
    """Return the event of every game with ``rating_band``, ``newcomers`` and ``age``; null: not known.

    In: ``games``: the keys of predictions, each once; ``known``: :func:`known_players`; ``year``: that of the first
    month.

    - ``rating_band``: the lower end of the band of 200 points with the mean rating of both players.
    - ``newcomers``: ``yes`` where one of the two is not on that list, else ``no``.
    - ``age``: that of the younger player: ``under 18``, ``18 to 64``, ``65 and over``.
    """
    ids = pl.concat([games["white_id"], games["black_id"]]).unique()
    known = known.filter(pl.col("fide_id").is_in(ids.implode()))
    games = games.select("event_id", "white_id", "black_id")
    for colour in ("white", "black"):
        of_colour = known.rename({"rating": f"{colour}_rating", "birth_year": f"{colour}_birth"})
        games = games.join(of_colour, left_on=f"{colour}_id", right_on="fide_id", how="left", maintain_order="left")
    band = (pl.col("white_rating") + pl.col("black_rating")) // (2 * RATING_BAND) * RATING_BAND
    is_listed = pl.col("white_rating").is_not_null() & pl.col("black_rating").is_not_null()
    age = year - pl.max_horizontal("white_birth", "black_birth")
    younger, middle, older = (pl.lit(text, dtype=_AGES) for text in _AGES.categories)
    return games.select(
        "event_id",
        band.cast(pl.Int32).alias("rating_band"),
        pl.when(is_listed).then(pl.lit("no", dtype=_NEWCOMERS)).otherwise(pl.lit("yes")).alias("newcomers"),
        pl.when(age < _YOUTH)
        .then(younger)
        .when(age < _SENIOR)
        .then(middle)
        .when(age >= _SENIOR)
        .then(older)
        .alias("age"),
    )
