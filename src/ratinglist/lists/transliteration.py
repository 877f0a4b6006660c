"""Names in the letters of FIDE's lists, which are plain ASCII, and a count of what could not be kept.

The table of letters is AnyAscii's: it covers every script letter by letter, where a table of our own would cover the
languages we happened to think of. Only the distinct letters of a list are looked up, then all names are rewritten at
once. A control character, a line end in a name for instance, becomes a blank: these formats have no place for it.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

import polars as pl
from anyascii import anyascii

_NOT_KEPT = r"[^\x20-\x7e]"
_TEXTS = ("name", "federation", "sex", "title", "women_title", "other_titles")


@dataclass(frozen=True, slots=True)
class Letters:
    """What became of letters that are not ASCII.

    ``names``: of how many players a text is written otherwise; ``replaced``: letters written with others;
    ``dropped``: letters for which there are none, so that they are missing.
    """

    names: int = 0
    replaced: int = 0
    dropped: int = 0


def in_ascii(players: pl.DataFrame) -> tuple[pl.DataFrame, Letters]:
    """``players`` with every text column in printable ASCII, and what that cost.

    A letter and its accent written as two characters count as one letter. Rows stay in order.
    """
    texts = [name for name in _TEXTS if name in players.columns]
    odd = players.select(pl.col(texts).str.contains(_NOT_KEPT))
    strange = [name for name in texts if odd[name].any()]
    if not strange:
        return players, Letters()
    times = _met(players, strange)
    if any(unicodedata.combining(letter) for letter in times):
        players = players.with_columns(pl.col(strange).str.normalize("NFC"))
        times = _met(players, strange)
    letters = list(times)
    written = [_written(letter) for letter in letters]
    plain = players.with_columns(pl.col(strange).str.replace_many(letters, written).str.strip_chars(" "))
    return plain, Letters(
        names=odd.select(pl.any_horizontal(pl.all()).sum()).item(),
        replaced=sum(times[letter] for letter, ascii_text in zip(letters, written, strict=True) if ascii_text),
        dropped=sum(times[letter] for letter, ascii_text in zip(letters, written, strict=True) if not ascii_text),
    )


def _met(players: pl.DataFrame, names: list[str]) -> dict[str, int]:
    """Every letter of the columns ``names`` that is not kept, and how often it stands there."""
    met = pl.concat(
        [players[name].rename("letter").str.extract_all(_NOT_KEPT).explode().drop_nulls() for name in names]
    )
    return dict(met.value_counts(name="times").sort("letter").iter_rows())


def _written(letter: str) -> str:
    """What stands for one letter: blank for a control character, empty where nothing does."""
    return " " if letter < " " or letter == "\x7f" else anyascii(letter)
