"""Make the data of the newest lists: rows in the order of the list, a thousand to a file, also by federation."""

from __future__ import annotations

import polars as pl

from ratinglist.site.json_text import array, array_of_rows, number, text

ROWS_OF_FILE = 1_000
ALL = "all"
"""The name of the files with all federations; a federation has three letters, in upper case."""


def with_change(now: pl.DataFrame, before: pl.DataFrame) -> pl.DataFrame:
    """Return a list with ``change``: the difference from the list before, null for a player who was not on it."""
    ratings = before.select("fide_id", pl.col("rating").alias("rating_before"))
    return now.join(ratings, on="fide_id", how="left", maintain_order="left").with_columns(
        (pl.col("rating") - pl.col("rating_before")).alias("change")
    )


def list_files(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the JSON of the files of a list: ``part``, ``file``, ``rows`` and ``json``.

    In: ``LISTED`` of one time control in its order, with ``change``. ``part`` is :data:`ALL` or a federation; a list
    of a single federation has no second copy. A code that is not made of three letters has no files of its own.
    """
    json = array(
        number("fide_id"),
        *map(text, ("name", "federation", "sex", "title")),
        *map(number, ("rating", "games", "k", "birth_year")),
        text("flag"),
        number("change"),
    )
    whole = rows.select(pl.lit(ALL).alias("part"), json.alias("json"))
    parts = [whole]
    if rows["federation"].n_unique() > 1:
        has_code = rows["federation"].str.contains(r"^[A-Z]{3}$").fill_null(value=False)
        parts.append(rows.filter(has_code).select(pl.col("federation").alias("part"), json.alias("json")))
    return (
        pl.concat(parts)
        .with_columns((pl.int_range(pl.len()).over("part") // ROWS_OF_FILE).alias("file"))
        .group_by("part", "file", maintain_order=True)
        .agg(pl.len().alias("rows"), array_of_rows(pl.col("json")).alias("json"))
        .sort("part", "file")
    )
