"""Find players by any part of a name: fold names into words of ASCII letters, and compare words with those typed.

Names of every alphabet become ASCII by AnyAscii's table (:mod:`~ratinglist.names.folding`), so that
``Карлсен`` and ``Carlsen`` can be compared. The words of all names are kept once each, with the players that have
them: there are far fewer words than players, so that typing errors can be looked for in all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from ratinglist.names.folding import folded, one_spelling

INDEX: Mapping[str, pl.DataType] = {
    "word": pl.String(),
    "spelling": pl.String(),
    "letters": pl.Int32(),
    "fide_ids": pl.List(pl.Int64()),
}
"""The columns of an index of names.

``word``; ``spelling``, by sound (:func:`~ratinglist.names.folding.one_spelling`); ``letters``, those it has, as
bits; ``fide_ids``, the players with the word in a name.
"""

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_SHORT, _MEDIUM = 3, 6
"""Words up to this length are found without a typing error, or with one; longer ones with two."""


@dataclass(frozen=True, slots=True)
class QueryWord:
    """One word typed. ``errors``: the most typing errors with which another word is taken for it."""

    number: int
    word: str
    spelling: str
    letters: int
    errors: int


def words_of_names(names: pl.DataFrame) -> pl.DataFrame:
    """Return the index of ``names`` (``fide_id``, ``name``): :data:`INDEX`, sorted by word.

    The words of a surname of several words are also one word: ``van den Berg`` is found as ``vandenberg``. A player
    with several names may be named twice by a word.
    """
    plain = names.with_columns(folded(pl.col("name")))
    surnames = pl.col("name").str.splitn(",", 2).struct.field("field_0").str.strip_chars()
    joined = plain.filter(surnames.str.contains(" ", literal=True)).select("fide_id", surnames.str.replace_all(" ", ""))
    words = plain.select("fide_id", pl.col("name").str.replace_all(",", " ").str.split(" ")).explode("name")
    index = (
        pl.concat([words, joined.rename({joined.columns[1]: "name"})])
        .filter(pl.col("name") != "")
        .group_by(pl.col("name").alias("word"))
        .agg(pl.col("fide_id").sort().alias("fide_ids"))
    )
    return (
        index.with_columns(one_spelling(pl.col("word")).alias("spelling"), _letters_of(pl.col("word")).alias("letters"))
        .select(pl.col(name).cast(dtype) for name, dtype in INDEX.items())
        .sort("word")
    )


def query_words(text: str) -> list[QueryWord]:
    """Return the words of the ``text`` typed, each once, in their order."""
    plain = pl.select(folded(pl.lit(text))).item().replace(",", " ")
    words = pl.DataFrame({"word": list(dict.fromkeys(plain.split()))}, schema={"word": pl.String}).with_columns(
        one_spelling(pl.col("word")).alias("spelling"), _letters_of(pl.col("word")).alias("letters")
    )
    return [
        QueryWord(number, word, spelling, letters, _errors(word))
        for number, (word, spelling, letters) in enumerate(words.iter_rows())
    ]


def _letters_of(word: pl.Expr) -> pl.Expr:
    """Return the letters that a word has, one bit each: words that differ in few places differ in few bits."""
    bits = [word.str.contains(letter, literal=True).cast(pl.Int32) * 2**place for place, letter in enumerate(_LETTERS)]
    return pl.sum_horizontal(bits)


def _errors(word: str) -> int:
    if word.isdigit() or len(word) <= _SHORT:
        return 0
    return 1 if len(word) <= _MEDIUM else 2
