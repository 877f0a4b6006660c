"""Convert names to forms that can be compared despite alphabet, accents, word order and spelling.

Lists and reports write one person as ``Müller, Jörg``, ``MUELLER JORG``, ``Jorg Muller`` or ``Muller, J.``, and
``Пешкаев, Остап`` as ``Peshkaev, Ostap``. The forms
are used to propose candidates to an officer; they are neither published nor used in a calculation of ratings.
"""

from __future__ import annotations

import polars as pl

from ratinglist.lists.transliteration import to_latin

_LETTERS = {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ŋ": "n"}
"""Letters that normalisation does not split into a plain letter and an accent."""

_MARKS_WRITTEN_OUT = {"ae": "a", "oe": "o", "ue": "u"}
_CONSONANT_GROUPS = {
    "tch": "c",
    "sch": "s",
    "sh": "s",
    "ch": "c",
    "zh": "z",
    "ts": "c",
    "tz": "c",
    "kh": "h",
    "ph": "f",
}
_SINGLE = {"ck": "k", "th": "t", "y": "i", "j": "i", "w": "v"}
_DOUBLED = {letter * 2: letter for letter in "abcdefghijklmnopqrstuvxz"}
SPELLINGS = _MARKS_WRITTEN_OUT | _CONSONANT_GROUPS | _SINGLE | _DOUBLED
"""Spellings of one sound; where one is the beginning of another, the longer comes first."""


def folded(name: pl.Expr) -> pl.Expr:
    """Return ``name`` in lower-case Latin letters without accents.

    Apostrophes are removed; every other mark becomes a blank, except for the comma.
    """
    latin = name.map_batches(to_latin, return_dtype=pl.String, is_elementwise=True)
    plain = latin.str.normalize("NFKD").str.replace_all(r"\p{M}", "").str.to_lowercase()
    return (
        plain.str.replace_many(_LETTERS)
        .str.replace_all("[’'`´ʼ]", "")
        .str.replace_all(r"[^\p{L}\p{N},]+", " ")
        .str.replace_all(r" *, *", ",")
        .str.strip_chars(" ,")
    )


def one_spelling(folded_name: pl.Expr) -> pl.Expr:
    """Return a :func:`folded` name with one spelling for sounds that are transliterated in several ways."""
    return folded_name.str.replace_many(SPELLINGS, leftmost=True)


def sorted_words(folded_name: pl.Expr) -> pl.Expr:
    """Return the words of a folded name in alphabetical order, so that the order in the name does not matter."""
    parts = folded_name.str.replace_all(",", " ").str.split(" ")
    return parts.list.eval(pl.element().filter(pl.element() != "")).list.sort().list.join(" ")


def surname(folded_name: pl.Expr) -> pl.Expr:
    """Return the text before the comma; without a comma the first word, as in official lists."""
    return _part(folded_name, 0)


def given_names(folded_name: pl.Expr) -> pl.Expr:
    """Return the text behind the comma; without a comma the text behind the first word. May be empty."""
    return _part(folded_name, 1)


def consonants(surname_spelling: pl.Expr) -> pl.Expr:
    """Return the first letter and the consonants behind it, which misspelt vowels do not change."""
    return surname_spelling.str.slice(0, 1) + surname_spelling.str.slice(1).str.replace_all("[aeiou ]", "")


def _part(name: pl.Expr, number: int) -> pl.Expr:
    by_comma, by_blank = (name.str.splitn(mark, 2).struct.field(f"field_{number}") for mark in (",", " "))
    part = pl.when(name.str.contains(",", literal=True)).then(by_comma).otherwise(by_blank)
    return part.fill_null("").str.strip_chars()
