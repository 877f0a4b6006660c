"""Make the index that finds players by any part of a name: names rotated, sorted, and cut into files.

``carlsen magnus`` is in the index as ``carlsen magnus`` and as ``magnus carlsen``: every word is the beginning of an
entry, so the beginning of any word finds the player in one place. Names of every alphabet are in ASCII letters; the
table of letters lets the browser convert a query the same way.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ratinglist.analysis.name_search import folded_names
from ratinglist.lists.transliteration import letters_to_ascii
from ratinglist.site.json_text import array, array_of_rows, number, text

_ROWS_OF_FILE = 1_500
_MANY = 3 * _ROWS_OF_FILE
"""A beginning that more entries have is answered from the best twenty."""
_BEST = 20
_LONGEST_BEGINNING = 12
_MOST_WORDS = 8


@dataclass(frozen=True, slots=True)
class SearchData:
    """The index. ``files``: the JSON of each; ``first_keys``: the first entry of each file.

    ``best``: ``letter`` and ``json``, by the first letter of a beginning that many players have: an object with the
    best twenty of each. ``letters``: the letters of names that are not ASCII, and their ASCII texts.
    """

    files: list[str]
    first_keys: list[str]
    best: pl.DataFrame
    letters: dict[str, str]
    longest: int = _LONGEST_BEGINNING


def search_data(players: pl.DataFrame) -> SearchData:
    """Return the index of players.

    In: ``fide_id``, ``name``, ``federation``, ``title``, ``birth_year``, and ``rating_0`` to ``rating_2``.
    """
    named = players.filter(pl.col("name").fill_null("") != "")
    keys = _keys(named)
    row = array(
        text("key"),
        number("fide_id"),
        *map(text, ("name", "federation", "title")),
        *map(number, ("birth_year", "rating_0", "rating_1", "rating_2")),
    )
    entries = keys.join(named, on="fide_id", how="left", maintain_order="left").with_columns(row.alias("json"))
    files = (
        entries.with_columns((pl.int_range(pl.len()) // _ROWS_OF_FILE).alias("file"))
        .group_by("file", maintain_order=True)
        .agg(pl.col("key").first(), array_of_rows(pl.col("json")).alias("json"))
    )
    return SearchData(files["json"].to_list(), files["key"].to_list(), _best(entries), letters_to_ascii(named["name"]))


def _keys(players: pl.DataFrame) -> pl.DataFrame:
    """Return every rotation of every name: ``key``, ``fide_id``, sorted."""
    folded = folded_names(players.select("fide_id", "name"))
    words = folded.select(
        "fide_id",
        pl.col("name").str.replace_all(",", " ").str.split(" ").list.eval(pl.element().filter(pl.element() != "")),
    )
    most: int = words.select(pl.col("name").list.len().max().fill_null(0)).item()
    rotations = [
        words.filter(pl.col("name").list.len() > first).select(
            pl.concat_list(pl.col("name").list.slice(first), pl.col("name").list.slice(0, first))
            .list.join(" ")
            .alias("key"),
            "fide_id",
        )
        for first in range(min(most, _MOST_WORDS))
    ]
    empty = pl.DataFrame(schema={"key": pl.String, "fide_id": pl.Int64})
    return pl.concat([empty, *rotations]).unique().sort("key", "fide_id")


def _best(entries: pl.DataFrame) -> pl.DataFrame:
    """Return the best players of every beginning that many entries have: ``letter``, ``json``."""
    parts = []
    best = pl.max_horizontal("rating_0", "rating_1", "rating_2").fill_null(0)
    for length in range(1, _LONGEST_BEGINNING + 1):
        begun = entries.with_columns(pl.col("key").str.slice(0, length).alias("beginning"), best.alias("best"))
        begun = begun.filter(pl.col("beginning").str.len_chars() == length)
        many = begun.group_by("beginning").agg(pl.len().alias("rows")).filter(pl.col("rows") > _MANY)
        parts.append(
            begun.join(many.select("beginning"), on="beginning", how="semi")
            .sort("beginning", "best", "fide_id", descending=[False, True, False])
            .unique(["beginning", "fide_id"], keep="first", maintain_order=True)
            .group_by("beginning", maintain_order=True)
            .head(_BEST)
            .group_by("beginning", maintain_order=True)
            .agg(array_of_rows(pl.col("json")).alias("json"))
        )
    found = pl.concat(parts).sort("beginning")
    pair = pl.concat_str(text("beginning"), pl.lit(":"), pl.col("json"))
    return (
        found.group_by(pl.col("beginning").str.slice(0, 1).alias("letter"), maintain_order=True)
        .agg(pl.concat_str(pl.lit("{"), pair.str.join(","), pl.lit("}")).alias("json"))
        .sort("letter")
    )
