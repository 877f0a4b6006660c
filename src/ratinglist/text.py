"""Text: the characters that are refused, left out of names, and escaped in print; how figures and tables are written.

Control characters move a terminal's cursor and overwrite what is printed there; direction overrides make one name read
as another; tags and private characters say what no reader sees. No name and no text of a chess event needs them.

Other characters that are not seen come from honest programs: a soft hyphen, a joiner, a direction mark, a second byte
order mark. They are left out of a name with a note, because two names that look the same must be the same; in a text
that a person writes for publication they are refused. Blanks of other widths become blanks.

The characters are ranges of code points, and not categories of Unicode, which differ between versions of Python: the
same file gives the same list everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

#: C0 without tab, line feed and carriage return; DEL; C1; separators of lines and paragraphs; overrides, isolates and
#: the format characters of old; annotations; tags and what is reserved for the like; private use; what is no character.
_RANGES: Final = (
    r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u206f\ufff9-\ufffb"
    r"\ue000-\uf8ff\ufdd0-\ufdef\ufffe\uffff\U000e0000-\U000e00ff\U000e01f0-\U0010ffff"
)
#: Soft hyphen; joiners; direction marks; fillers; the blank of Braille; selectors of variants; byte order mark; the
#: place of a pasted object; operators that are not seen; joiners of hieroglyphs; controls of shorthand and of music.
_UNSEEN: Final = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u2065\u2800\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\ufffc\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0100-\U000e01ef"
)
#: Number signs and the like of the category of format characters, which are seen: no reason needs them, and a name that
#: has them does not look like another one.
_SIGNS: Final = r"\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"

FORBIDDEN: Final = f"[{_RANGES}]"
"""The characters that are refused in a text of several lines: a regular expression for Python and for Polars."""

FORBIDDEN_IN_NAME: Final = rf"[\t\n\r{_RANGES}]"
"""The characters that are refused in the name of a file, a player or an event: a name has one line."""

UNSEEN: Final = f"[{_UNSEEN}]"
"""The characters that are left out of a name, because no reader sees them."""

OTHER_BLANK: Final = r"[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]"
"""The blanks that become a blank."""

_FORBIDDEN: Final = re.compile(FORBIDDEN)
_IN_NAME: Final = re.compile(FORBIDDEN_IN_NAME)
_IN_WRITTEN_TEXT: Final = re.compile(rf"[\t\n\r{_RANGES}{_UNSEEN}{_SIGNS}\ud800-\udfff]")
_OTHER_BLANK: Final = re.compile(OTHER_BLANK)
_UNSHOWABLE: Final = re.compile(rf"[\r{_RANGES}{_UNSEEN}\ud800-\udfff]")

SHORTEST_REASON = 2
"""Fewest letters or digits of a reason."""
_LETTERS_OF_A_WORD = 6
_SAYS_NOTHING = frozenset({"checked", "correct", "confirmed", "verified", "approved"})
"""Words that say that somebody looked, and not what was seen."""


def first_forbidden(text: str) -> int | None:
    """Return the offset, from 0, of the first refused character in ``text``; None where there is none."""
    character = _FORBIDDEN.search(text)
    return character.start() if character else None


def first_forbidden_in_name(name: str) -> str:
    """Return the first refused character of ``name``, such as ``U+202E``; empty where there is none."""
    character = _IN_NAME.search(name)
    return code_point(character[0]) if character else ""


def first_forbidden_in_written_text(text: str) -> str:
    """Return the first character that a person's text may not have, such as ``U+200B``; empty where there is none.

    These are the characters refused in a name, those left out of one, and every other format character.
    """
    character = _IN_WRITTEN_TEXT.search(text)
    return code_point(character[0]) if character else ""


def with_plain_blanks(text: str) -> str:
    """Return ``text`` with the blanks of other widths as blanks."""
    return _OTHER_BLANK.sub(" ", text)


def code_point(character: str) -> str:
    """Return the number of ``character``, such as ``U+001B``."""
    return f"U+{ord(character):04X}"


def visible(text: str) -> str:
    r"""Return ``text`` with refused and unseen characters escaped, such as ``\u001b``; tabs and line feeds stay.

    A JSON document stays the same document: a character above U+FFFF is escaped as the two of UTF-16.
    """
    return _UNSHOWABLE.sub(lambda character: _escaped(character[0]), text)


def _escaped(character: str) -> str:
    pairs = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{pairs[at : at + 2].hex()}" for at in range(0, len(pairs), 2))


def on_one_line(text: str) -> str:
    r"""Return :func:`visible` text with tabs and line feeds escaped as ``\t`` and ``\n`` too, for a cell of a table."""
    return visible(text).replace("\t", "\\t").replace("\n", "\\n")


def shortened(text: str, length: int) -> str:
    """Return at most ``length`` characters of ``text``, escaped, with ``...`` where more were left out."""
    return on_one_line(text[:length]) + ("..." if len(text) > length else "")


def says_nothing(reason: str) -> bool:
    """Return whether a text is no reason: a key pressed by mistake, a short word as ``ok``, or that somebody looked.

    A word of a script without capitals may be a sentence, and is not counted by its letters.
    """
    word = with_plain_blanks(reason).strip(" .!").casefold()
    is_short = len(word) < _LETTERS_OF_A_WORD and (word.isascii() or word != word.upper())
    is_mistyped = sum(map(str.isalnum, reason)) < SHORTEST_REASON
    return is_mistyped or word in _SAYS_NOTHING or (is_short and " " not in word)


def shown(cell: object) -> str:
    """Return the cell of a table on one line; None is blank."""
    return "" if cell is None else on_one_line(str(cell))


def grouped(count: int | None, places: int, *, sign: bool = False) -> str:
    """Format a count of units of 10 to the power of ``-places``, with commas between thousands; empty for None.

    195043 with 2 places is ``1,950.43``.
    """
    if count is None:
        return ""
    whole, part = divmod(abs(count), 10**places)
    before = "-" if count < 0 else "+" if sign else ""
    return f"{before}{whole:,}" + (f".{part:0{places}}" if places else "")


def decimal(count: int | None, places: int, *, sign: bool = False) -> str:
    """Format as :func:`grouped` does, without commas."""
    return grouped(count, places, sign=sign).replace(",", "")


def hundredths(count: int | None, *, sign: bool = False) -> str:
    """Format hundredths as a decimal number, such as ``-1.05``; empty for None."""
    return decimal(count, 2, sign=sign)


def thousandths(count: int | None, *, sign: bool = False) -> str:
    """Format thousandths as a decimal number, such as ``-11.010``; empty for None."""
    return decimal(count, 3, sign=sign)


def halves(count: int | None) -> str:
    """Format half points as points, such as ``½`` or ``4½``; empty for None."""
    if count is None:
        return ""
    return f"{count // 2 or ('' if count % 2 else 0)}{'½' if count % 2 else ''}"


def quarters(count: int | None) -> str:
    """Format quarter points as points, such as ``4.75``; empty for None."""
    return hundredths(None if count is None else 25 * count)


def signed(count: int) -> str:
    """Format an integer with its sign: ``+3``, ``-1``, ``0``."""
    return f"{count:+d}" if count else "0"


def plus(count: int) -> str:
    """Format an integer as the second term of a sum: ``+ 3`` or ``- 1``."""
    return f"{'-' if count < 0 else '+'} {abs(count)}"


def counted(count: int, what: str) -> str:
    """Format a number with its noun: ``1 game``, ``9 games``."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def listed(texts: Iterable[str]) -> str:
    """Return texts as a list of words: ``a``, ``a and b``, ``a, b and c``."""
    *others, last = texts
    return f"{', '.join(others)} and {last}" if others else last


def numbered(what: str, numbers: Iterable[int]) -> str:
    """Format numbers behind their noun: ``round 3``, ``rounds 1, 2 and 9``."""
    distinct = sorted(set(numbers))
    return f"{what}{'s' * (len(distinct) > 1)} {listed(map(str, distinct))}"


def person_text(fide_id: int, name: str, *known: object) -> str:
    """Return FIDE ID and name of a player, and in brackets what is ``known``: the federation, the year of birth."""
    details = ", ".join(str(name) for name in known if name)
    return f"{fide_id} {name}" + (f" ({details})" if details else "")


def quoted(text: str) -> str:
    """Return a text as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def quoted_path(path: str) -> str:
    """Return the path of a file as a literal of SQL that means no other file (:func:`as_pattern`)."""
    return quoted(as_pattern(path))


def as_pattern(path: str) -> str:
    """Return the path of a file with the characters escaped that DuckDB takes for a pattern."""
    return re.sub(r"([\[*?])", r"[\1]", path)


# ------------------------------------------------------------------------------------------------- lines and tables

# A table is not fitted to the terminal, as ``rich.table`` does, which wraps or cuts cells: what a command prints would
# depend on the window it runs in. Here every cell is whole, and the same rows give the same bytes.

INDENT = "  "
"""What stands before a line that belongs to the one above."""

_SHOWN = 20
"""How many lines of a long list are printed."""


def first_lines(lines: Sequence[str]) -> list[str]:
    """Return the first lines of a list, each after two blanks, and a line that says how many more there are."""
    more = [f"  and {len(lines) - _SHOWN:,} more"] if len(lines) > _SHOWN else []
    return [*(f"{INDENT}{line}" for line in lines[:_SHOWN]), *more]


def padded(rows: Sequence[Sequence[str]], to_right: Sequence[bool]) -> list[list[str]]:
    """Return ``rows`` with every cell padded to the width of its column; ``to_right``: the columns aligned right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, to_right, strict=True)
        ]
        for row in rows
    ]


def text_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], to_right: Sequence[bool], *, rule: bool = False
) -> list[str]:
    """Return a table as lines, two blanks between columns; ``rule``: with a line of dashes under the header."""
    table = padded([header, *rows], to_right)
    if rule:
        table.insert(1, ["-" * len(cell) for cell in table[0]])
    return ["  ".join(row).rstrip() for row in table]
