"""Make the index that finds players by any part of a name, as typed or as spelled otherwise, and by part of an ID.

``carlsen magnus`` is in the index as ``carlsen magnus`` and as ``magnus carlsen``: every word is the beginning of an
entry, so the beginning of any word finds the player in one place. Names of every alphabet are in ASCII letters; the
table of letters lets the browser convert a query the same way.

Another index has each word of the names once, under every three letters that follow each other in it or in its spelling
by sound (:func:`~ratinglist.names.folding.one_spelling`). It leads from the inside of a word, from another
spelling and from a typing error to the words that there are. The files of FIDE IDs have them sorted as texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from ratinglist.names.folding import SPELLINGS, folded, letters_to_ascii, one_spelling
from ratinglist.site.columns import PART, Packing, packed
from ratinglist.site.data_file import array, array_of_rows, number, text

_ROWS_OF_FILE = 1_500
_FILES_AT_ONCE = 200
"""The texts of so many files are in memory together."""
_MANY = 3 * _ROWS_OF_FILE
"""A beginning that more entries have is answered from the best twenty."""
_BEST = 20
_LONGEST_BEGINNING = 12
_MOST_WORDS = 8
_WORDS_OF_FILE = 4_000
_IDS_OF_FILE = 10_000
_LETTERS_TOGETHER = 3
_RATINGS = ("rating_0", "rating_1", "rating_2")


@dataclass(frozen=True, slots=True)
class SearchData:
    """The index. ``files``: yields the content of each, once; ``first_keys``: the first entry of each file.

    ``best``: ``letter`` and ``json``, by the first letter of a beginning that many players have: an object with the
    best twenty of each. ``words``: the JSON of the files of words; ``first_letters``: the three letters that each
    begins with. ``ids``: the JSON of the files of FIDE IDs; ``first_ids``: the first of each. ``letters``: the letters
    of names that are not ASCII, and their ASCII texts.
    """

    files: Iterator[bytes]
    first_keys: list[str]
    best: pl.DataFrame
    words: list[str]
    first_letters: list[str]
    ids: list[str]
    first_ids: list[str]
    letters: dict[str, str]

    def contents(self) -> dict[str, Any]:
        """Return what the browser needs to choose the files, and to write a query as the names are written."""
        return {
            "keys": self.first_keys,
            "best": self.best["letter"].to_list(),
            "words": self.first_letters,
            "ids": self.first_ids,
            "letters": self.letters,
            "spellings": SPELLINGS,
            "longest": _LONGEST_BEGINNING,
        }


def search_data(players: pl.DataFrame, other_names: pl.Series) -> SearchData:
    """Return the index of players. ``other_names``: those of events, whose letters are converted too.

    In: ``fide_id``, ``name``, ``federation``, ``title``, ``birth_year``, ``rating_0`` to ``rating_2``, and ``change``
    on the first of the newest lists, which an entry has where it is not null or 0.
    """
    change = pl.when(pl.col("change") != 0).then(pl.concat_str(pl.lit(","), number("change"))).otherwise(pl.lit(""))
    columns = (
        number("fide_id"),
        *map(text, ("name", "federation", "title")),
        *map(number, ("birth_year", *_RATINGS[:-1])),
        pl.concat_str(number(_RATINGS[-1]), change),
    )
    best = pl.max_horizontal(_RATINGS).fill_null(0)
    named = (
        players.filter(pl.col("name").fill_null("") != "")
        .sort("fide_id")
        .with_columns(best.alias("best"), pl.concat_str(columns, separator=",").alias("json"))
        .with_row_index("player")
    )
    columns_of_file = named.select(
        *("fide_id", "name", "federation", "title", "birth_year", *_RATINGS),
        pl.when(pl.col("change") != 0).then("change").alias("change"),
    )
    keys = _keys(named)
    texts = named["json"]
    words = _words(keys)
    ids = players.select(pl.col("fide_id").cast(pl.String).alias("id")).sort("id")
    return SearchData(
        _files(keys, columns_of_file),
        keys["key"].gather_every(_ROWS_OF_FILE).to_list(),
        _best(keys.with_columns(named["best"].gather(keys["player"])), texts),
        _cut(words, array(text("letters"), text("word")), _WORDS_OF_FILE),
        words["letters"].gather_every(_WORDS_OF_FILE).to_list(),
        _cut(ids, pl.col("id"), _IDS_OF_FILE),
        ids["id"].gather_every(_IDS_OF_FILE).to_list(),
        letters_to_ascii(pl.concat([named["name"], other_names])),
    )


def _words(keys: pl.DataFrame) -> pl.DataFrame:
    """Return each word of the names under every three letters of it and of its spelling: ``letters`` and ``word``."""
    words = keys.select(pl.col("key").str.splitn(" ", 2).struct.field("field_0").alias("word")).unique()
    forms = pl.concat([words.with_columns(form="word"), words.with_columns(form=one_spelling(pl.col("word")))])
    places = pl.int_ranges(
        0, (pl.col("form").str.len_bytes().cast(pl.Int64) - _LETTERS_TOGETHER + 1).clip(lower_bound=0)
    )
    return (
        forms.with_columns(places.alias("place"))
        .explode("place")
        .drop_nulls("place")
        .select(pl.col("form").str.slice(pl.col("place"), _LETTERS_TOGETHER).alias("letters"), "word")
        .unique()
        .sort("letters", "word")
    )


def _cut(rows: pl.DataFrame, json: pl.Expr, rows_of_file: int) -> list[str]:
    """Return the JSON of files of so many rows."""
    texts = rows.select((pl.int_range(pl.len()) // rows_of_file).alias("file"), json.alias("json"))
    return (
        texts.group_by("file", maintain_order=True).agg(array_of_rows(pl.col("json")).alias("json"))["json"].to_list()
    )


def _keys(named: pl.DataFrame) -> pl.DataFrame:
    """Return every rotation of every name: ``key`` and ``player``, the row of the player, sorted."""
    words = named.select("player", folded(pl.col("name"))).select(
        "player",
        pl.col("name").str.replace_all(",", " ").str.split(" ").list.eval(pl.element().filter(pl.element() != "")),
    )
    most: int = words.select(pl.col("name").list.len().max().fill_null(0)).item()
    rotations = [
        words.filter(pl.col("name").list.len() > first).select(
            pl.concat_list(pl.col("name").list.slice(first), pl.col("name").list.slice(0, first))
            .list.join(" ")
            .alias("key"),
            "player",
        )
        for first in range(min(most, _MOST_WORDS))
    ]
    empty = pl.DataFrame(schema={"key": pl.String, "player": pl.UInt32})
    keys = pl.concat([empty, *rotations]).sort("key", "player")
    # A word that a name has twice gives the same rotation twice: neighbours now.
    return keys.filter(pl.any_horizontal(pl.all().ne_missing(pl.all().shift())))


def _row(texts: pl.Series) -> pl.Expr:
    """Return an entry of the index as JSON: the key, which needs no escaping, then ``texts`` of the player."""
    return pl.concat_str(
        [pl.lit('["'), pl.col("key"), pl.lit('",'), pl.lit(texts).gather(pl.col("player")), pl.lit("]")]
    )


def _files(keys: pl.DataFrame, players: pl.DataFrame) -> Iterator[bytes]:
    """Yield the files. In: the ``key`` of each entry with ``player``, its row in ``players``, whose columns follow."""
    for entries in keys.iter_slices(_ROWS_OF_FILE * _FILES_AT_ONCE):
        rows = pl.concat([entries.select("key"), players[entries["player"]]], how="horizontal")
        numbered = rows.with_columns((pl.int_range(pl.len()) // _ROWS_OF_FILE).alias(PART))
        for _, content in packed({"rows": (numbered, Packing())}):
            yield content


def _best(keys: pl.DataFrame, texts: pl.Series) -> pl.DataFrame:
    """Return the best players of every beginning that many entries have: ``letter``, ``json``.

    In: the keys with ``best``, the highest rating of each player.
    """
    begun = keys.sort("best", "player", descending=[True, False], maintain_order=True)
    parts = []
    for length in range(1, _LONGEST_BEGINNING + 1):
        # Only a beginning that many entries have can be continued by one that many have.
        begun = begun.with_columns(pl.col("key").str.slice(0, length).alias("beginning"))
        begun = begun.filter(pl.col("beginning").str.len_bytes() == length)
        many = begun.group_by("beginning").len().filter(pl.col("len") > _MANY)
        begun = begun.join(many, on="beginning", how="semi", maintain_order="left")
        parts.append(
            # A player may have several words that begin alike.
            begun.group_by("beginning", maintain_order=True)
            .head(_BEST * _MOST_WORDS)
            .unique(["beginning", "player"], keep="first", maintain_order=True)
            .group_by("beginning", maintain_order=True)
            .head(_BEST)
        )
    found = pl.concat(parts).with_columns(_row(texts).alias("json"))
    rows = found.group_by("beginning", maintain_order=True).agg(array_of_rows(pl.col("json")).alias("json"))
    pair = pl.concat_str(text("beginning"), pl.lit(":"), pl.col("json"))
    return (
        rows.sort("beginning")
        .group_by(pl.col("beginning").str.slice(0, 1).alias("letter"), maintain_order=True)
        .agg(pl.concat_str(pl.lit("{"), pair.str.join(","), pl.lit("}")).alias("json"))
        .sort("letter")
    )
