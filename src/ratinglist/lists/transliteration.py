"""Names in plain ASCII, as FIDE's lists write them, with counts of what could not be kept.

The table of letters is AnyAscii's: it covers every script letter by letter. Only the distinct letters of a list are
looked up; then all names are replaced at once. A control character, such as a line end in a name, becomes a blank,
because these formats cannot hold it.
"""

from __future__ import annotations

import unicodedata

import polars as pl
from anyascii import anyascii

from ratinglist.tables import FIDE_COLUMNS, PLAYER_TEXTS

NAME_LENGTH = FIDE_COLUMNS["name"].width - 1
"""The characters of a name that FIDE's text has room for."""
_NOT_KEPT = r"[^\x20-\x7e]"
_NOT_LATIN = r"[[\p{L}\p{M}]--[\p{Latin}\p{Inherited}]]"
"""A letter or vowel sign of another alphabet; an accent, which any alphabet may have, is none."""


def to_ascii(players: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, int]]:
    """Return ``players`` with every text column in printable ASCII, and the counts for the summary of an export.

    ``names_changed``: players with a changed text; ``letters_replaced``: letters written with others;
    ``letters_dropped``: letters for which ASCII has nothing, so that they are missing. A letter and its accent written
    as two characters count as one letter. Rows stay in order.
    """
    texts = [name for name in PLAYER_TEXTS if name in players.columns]
    odd = players.select(pl.col(texts).str.contains(_NOT_KEPT))
    changed = [name for name in texts if odd[name].any()]
    if not changed:
        return players, {"names_changed": 0, "letters_replaced": 0, "letters_dropped": 0}
    times = _letter_counts(players, changed)
    if any(unicodedata.combining(letter) for letter in times):
        players = players.with_columns(pl.col(changed).str.normalize("NFC"))
        times = _letter_counts(players, changed)
    letters = list(times)
    replacements = [_replacement(letter) for letter in letters]
    plain = players.with_columns(pl.col(changed).str.replace_many(letters, replacements).str.strip_chars(" "))
    return plain, {
        "names_changed": odd.select(pl.any_horizontal(pl.all()).sum()).item(),
        "letters_replaced": sum(times[letter] for letter, text in zip(letters, replacements, strict=True) if text),
        "letters_dropped": sum(times[letter] for letter, text in zip(letters, replacements, strict=True) if not text),
    }


def letters_to_ascii(names: pl.Series) -> dict[str, str]:
    """Return each letter of ``names`` that ASCII cannot hold, in lower and upper case, with its ASCII text, sorted."""
    found = set(_letter_counts(pl.DataFrame({"name": names.str.normalize("NFC")}), ["name"]))
    cases = {one for letter in found for one in (letter, letter.lower(), letter.upper())}
    return {letter: _replacement(letter) for letter in sorted(cases) if len(letter) == 1 and not letter.isascii()}


def to_latin(names: pl.Series) -> pl.Series:
    """Return ``names`` with the letters of other alphabets in Latin ones; Latin letters keep their accents."""
    if not names.str.contains(_NOT_LATIN).any():
        return names
    composed = names.str.normalize("NFC")
    letters = composed.str.extract_all(_NOT_LATIN).explode().drop_nulls().unique().sort().to_list()
    return composed.to_frame("name").select(pl.col("name").str.replace_many(letters, [*map(anyascii, letters)]))["name"]


def _letter_counts(players: pl.DataFrame, names: list[str]) -> dict[str, int]:
    """Return every letter of the columns ``names`` that ASCII cannot hold, with its number of occurrences."""
    letters = pl.concat(
        [players[name].rename("letter").str.extract_all(_NOT_KEPT).explode().drop_nulls() for name in names]
    )
    return dict(letters.value_counts(name="times").sort("letter").iter_rows())


def _replacement(letter: str) -> str:
    """Return the ASCII text for one letter: a blank for a control character, empty if there is none."""
    return " " if letter < " " or letter == "\x7f" else anyascii(letter)
