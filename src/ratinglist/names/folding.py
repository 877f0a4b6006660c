"""Names in forms that can be written and compared: plain ASCII, Latin letters, one spelling of a sound.

Lists and reports write one person as ``Müller, Jörg``, ``MUELLER JORG``, ``Jorg Muller`` or ``Muller, J.``, and
``Пешкаев, Остап`` as ``Peshkaev, Ostap``. FIDE's lists have ASCII letters alone (:func:`to_ascii`). The forms without
accents, order and spelling propose players to an officer; they are neither published nor used in a calculation.

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
    letters = set(_letter_counts(pl.DataFrame({"name": names.str.normalize("NFC")}), ["name"]))
    cases = {form for letter in letters for form in (letter, letter.lower(), letter.upper())}
    return {letter: _replacement(letter) for letter in sorted(cases) if len(letter) == 1 and not letter.isascii()}


def _letter_counts(players: pl.DataFrame, names: list[str]) -> dict[str, int]:
    """Return every letter of the columns ``names`` that ASCII cannot hold, with its number of occurrences."""
    letters = pl.concat(
        [players[name].rename("letter").str.extract_all(_NOT_KEPT).explode().drop_nulls() for name in names]
    )
    return dict(letters.value_counts(name="times").sort("letter").iter_rows())


def _replacement(letter: str) -> str:
    """Return the ASCII text for one letter: a blank for a control character, empty if there is none."""
    return " " if letter < " " or letter == "\x7f" else anyascii(letter)


def folded(name: pl.Expr) -> pl.Expr:
    """Return ``name`` in lower-case ASCII, its words between single blanks.

    Apostrophes are removed; every other mark becomes a blank, except for the comma. The script of a site folds a query
    the same way (``data/site/script``).
    """
    plain = name.map_batches(_in_ascii, return_dtype=pl.String, is_elementwise=True)
    return (
        plain.str.to_lowercase()
        .str.replace_all("['`]", "")
        .str.replace_all("[^a-z0-9,]+", " ")
        .str.replace_all(" ?, ?", ",")
        .str.strip_chars(" ,")
    )


def _in_ascii(names: pl.Series) -> pl.Series:
    return to_ascii(names.to_frame("name"))[0]["name"]


def one_spelling(folded_name: pl.Expr) -> pl.Expr:
    """Return a :func:`folded` name with one spelling for sounds that are transliterated in several ways."""
    return folded_name.str.replace_many(SPELLINGS, leftmost=True)


def sorted_words(folded_name: pl.Expr) -> pl.Expr:
    """Return the words of a folded name in alphabetical order, so that the order in the name does not matter."""
    parts = folded_name.str.replace_all(",", " ").str.split(" ")
    return parts.list.eval(pl.element().filter(pl.element() != "")).list.sort().list.join(" ")
