"""Bytes to text: which encoding a report is written in, one kind of line end, and what no text may hold.

TRF says nothing about encodings, and programs write UTF-8 with and without a byte order mark, UTF-16 and the Windows
code pages. Everything a rating needs is plain ASCII, so a wrong guess can only spoil the letters of a name; the guess
is recorded nevertheless.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from ratinglist.limits import LINE_LENGTH, PLAYERS, REPORT_LINES
from ratinglist.safe_text import code_point, first_forbidden

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# What DOS programs leave behind the last line: end-of-file marks and padding.
_TRAILING = "\x00\x1a"
# Characters that a player line has at least, with its end; other lines there may be only as many as characters.
_PLAYER_LINE = 4
_LIKE_LATIN_1 = bytes(sorted({*range(256)} - {*range(0x80, 0xA0)}))


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a file, lines ended by LF only, and what had to be assumed or refused.

    ``rule`` is empty, or the code in :data:`ratinglist.findings.RULES` of what was noticed, with its place (``line``,
    ``column``, from 1), ``value`` and ``detail``. Where that rule refuses the file, ``text`` is empty. ``as_given``:
    the bytes of the file where they are just the text in UTF-8.
    """

    text: str
    rule: str = ""
    detail: str = ""
    line: int | None = None
    column: int | None = None
    value: str = ""
    as_given: bytes | None = None

    @property
    def utf8(self) -> bytes:
        """The text in UTF-8, which nearly always is what was given."""
        return self.text.encode() if self.as_given is None else self.as_given


def decode(data: bytes) -> Decoded:
    """The text of ``data``: by its byte order mark, else UTF-8, else Windows-1252.

    Line ends CR, CRLF and LF become LF. NUL and 0x1A at the end are dropped; a NUL elsewhere means the file is no text.
    Bytes that Windows-1252 does not have become U+FFFD. Any other control character, one that separates lines and one
    that turns the direction of writing refuse the file (``control_character``).
    """
    rule = detail = ""
    marked = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    try:
        text = data.decode(marked or "utf-8")
    except UnicodeDecodeError as error:
        if marked:
            return Decoded("", "binary_file", f"byte {error.start + 1} does not fit the encoding it announces")
        # Another code page than this spoils letters of names, never what a rating needs.
        text = _of_windows(data)
        rule, detail = "encoding_assumed", "Windows-1252"
    characters = len(text)
    text = text.rstrip(_TRAILING)
    if not text or text.isspace():
        return Decoded("", "empty_file")
    if "\x00" in text:
        return Decoded("", "binary_file", f"character {text.index(chr(0)) + 1} is a NUL")
    returned = "\r" in text
    if returned:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    # In UTF-16 the bytes say nothing: every letter has a NUL.
    place = first_forbidden(text, None if marked == "utf-16" else data.rstrip(_TRAILING.encode()))
    if place is not None:
        line, column = text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)
        return Decoded("", "control_character", line=line, column=column, value=code_point(text[place]))
    changed = marked or rule or returned or len(text) < characters
    return Decoded(text, rule, detail, as_given=None if changed else data)


def _of_windows(data: bytes) -> str:
    """``data`` in Windows-1252. But for 32 bytes that is Latin-1, which takes a tenth of the time."""
    other = data.translate(None, _LIKE_LATIN_1)
    return data.decode("cp1252", errors="replace") if other else data.decode("latin-1")


def decode_report(data: bytes) -> Decoded:
    """As :func:`decode`; a text that no report has room for is refused: too many lines or players, a line too long.

    These are told here, before anything is taken apart, for what they cost comes with the taking apart.
    """
    decoded = decode(data)
    text = decoded.text
    if len(text) <= LINE_LENGTH:
        return decoded
    # A line longer than the limit spans a whole block of half of it: nearly always each has a line end, soon found.
    block = LINE_LENGTH // 2
    if len(text) < _PLAYER_LINE * PLAYERS and all(
        text.find("\n", start, start + block) >= 0 for start in range(0, len(text) - block + 1, block)
    ):
        return decoded
    lines = text.count("\n", 0, len(text) - 1) + 1
    if lines > REPORT_LINES:
        return Decoded("", "too_many_lines", line=REPORT_LINES + 1, value=str(lines), detail=str(REPORT_LINES))
    if lines > PLAYERS:
        players = [number for number, line in enumerate(text.split("\n"), 1) if line.startswith("001")]
        if len(players) > PLAYERS:
            return Decoded("", "too_many_players", line=players[PLAYERS], value=str(len(players)), detail=str(PLAYERS))
    longest = max(map(len, text.split("\n")))
    if longest > LINE_LENGTH:
        line = next(number for number, line in enumerate(text.split("\n"), 1) if len(line) == longest)
        return Decoded(
            "", "endless_line", line=line, column=LINE_LENGTH + 1, value=str(longest), detail=str(LINE_LENGTH)
        )
    return decoded
