"""A player's name in forms that can be compared, whatever the alphabet's marks, the order or the spelling.

Lists and reports write one person as ``Müller, Jörg``, ``MUELLER JORG``, ``Jorg Muller`` or ``Muller, J.``. None of
these forms is ever published or rated with: they find what an officer should look at.
"""

from __future__ import annotations

import polars as pl

_LETTERS = {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ŋ": "n"}
"""Letters that are not a plain letter with a mark."""

_MARKS_WRITTEN_OUT = {"ae": "a", "oe": "o", "ue": "u"}
_CONSONANTS = {"tch": "c", "sch": "s", "sh": "s", "ch": "c", "zh": "z", "ts": "c", "tz": "c", "kh": "h", "ph": "f"}
_SINGLE = {"ck": "k", "th": "t", "y": "i", "j": "i", "w": "v"}
_DOUBLED = {letter * 2: letter for letter in "abcdefghijklmnopqrstuvxz"}
_SPELLINGS = _MARKS_WRITTEN_OUT | _CONSONANTS | _SINGLE | _DOUBLED
"""Spellings of one sound, the longer first where one begins another."""


def folded(name: pl.Expr) -> pl.Expr:
    """``name`` in small plain letters; a comma is kept, every other mark is a blank, apostrophes are nothing."""
    plain = name.str.normalize("NFKD").str.replace_all(r"\p{M}", "").str.to_lowercase()
    return (
        plain.str.replace_many(_LETTERS)
        .str.replace_all("[’'`´ʼ]", "")
        .str.replace_all(r"[^\p{L}\p{N},]+", " ")
        .str.replace_all(r" *, *", ",")
        .str.strip_chars(" ,")
    )


def one_spelling(folded_name: pl.Expr) -> pl.Expr:
    """A :func:`folded` name with one spelling for what is transliterated in several ways."""
    return folded_name.str.replace_many(_SPELLINGS, leftmost=True)


def sorted_words(folded_name: pl.Expr) -> pl.Expr:
    """The words of a folded or sounded name by the alphabet: the same whichever stood first."""
    parts = folded_name.str.replace_all(",", " ").str.split(" ")
    return parts.list.eval(pl.element().filter(pl.element() != "")).list.sort().list.join(" ")


def surname(folded_name: pl.Expr) -> pl.Expr:
    """What stands before the comma; without one the first word, as lists have it."""
    return (
        pl.when(folded_name.str.contains(",", literal=True))
        .then(_part(folded_name, ",", 0))
        .otherwise(_part(folded_name, " ", 0))
    )


def given_names(folded_name: pl.Expr) -> pl.Expr:
    """What stands behind the comma; without one everything behind the first word. Empty where there is nothing."""
    return (
        pl.when(folded_name.str.contains(",", literal=True))
        .then(_part(folded_name, ",", 1))
        .otherwise(_part(folded_name, " ", 1))
    )


def consonants(sounded_word: pl.Expr) -> pl.Expr:
    """The first letter and the consonants behind it: what misspelt vowels leave alone."""
    return sounded_word.str.slice(0, 1) + sounded_word.str.slice(1).str.replace_all("[aeiou ]", "")


def _part(text: pl.Expr, mark: str, number: int) -> pl.Expr:
    return text.str.splitn(mark, 2).struct.field(f"field_{number}").fill_null("").str.strip_chars()
