"""Decoding of reports: detect the encoding, normalise line ends, and refuse characters and sizes that are not allowed.

TRF does not define an encoding, and programs write UTF-8 with and without a byte order mark, UTF-16 and the Windows
code pages. Everything a rating needs is plain ASCII, so a wrong guess can only spoil the letters of a name; the guess
is recorded as a note nevertheless.
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
# Characters that DOS programs write after the last line: end-of-file marks and padding.
_TRAILING = "\x00\x1a"
# Least characters of a player line, with its line end. Any other line has at least one.
_MIN_PLAYER_LINE = 4
_LIKE_LATIN_1 = bytes(sorted({*range(256)} - {*range(0x80, 0xA0)}))


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a file, with LF as the only line end, and the finding of the decoder.

    ``rule`` is empty, or the code in :data:`ratinglist.findings.RULES` of the finding, with its place (``line``,
    ``column``, from 1), ``value`` and ``detail``. Where that rule refuses the file, ``text`` is empty. ``original``:
    the bytes of the file where they are exactly the text in UTF-8.
    """

    text: str
    rule: str = ""
    detail: str = ""
    line: int | None = None
    column: int | None = None
    value: str = ""
    original: bytes | None = None

    @property
    def utf8(self) -> bytes:
        """The text in UTF-8: the original bytes where they are the same, which saves encoding it again."""
        return self.text.encode() if self.original is None else self.original


def decode(data: bytes, *, searched_for_forbidden: bool = True) -> Decoded:
    """Decode ``data`` by its byte order mark, else as UTF-8, else as Windows-1252.

    Line ends CR, CRLF and LF become LF. NUL and 0x1A at the end are dropped; a NUL elsewhere means that the file is not
    text. Bytes that Windows-1252 does not have become U+FFFD. A byte order mark at the beginning of a line is dropped.
    A character of :data:`ratinglist.safe_text.FORBIDDEN` refuses the file (``control_character``), unless the caller
    judges the cells one by one and ``searched_for_forbidden`` is false.
    """
    rule = detail = ""
    marked = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    try:
        text = data.decode(marked or "utf-8")
    except UnicodeDecodeError as error:
        if marked:
            return Decoded("", "binary_file", f"byte {error.start + 1} does not fit the encoding it announces")
        # If it is another code page, only letters of names are wrong, never the data of a rating.
        text = _decode_windows_1252(data)
        rule, detail = "encoding_assumed", "Windows-1252"
    characters = len(text)
    text = text.rstrip(_TRAILING)
    if not text or text.isspace():
        return Decoded("", "empty_file")
    if "\x00" in text:
        return Decoded("", "binary_file", f"character {text.index(chr(0)) + 1} is a NUL")
    has_returns = "\r" in text
    if has_returns:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    is_joined = "\n\ufeff" in text
    if is_joined:
        # Files that were put together keep the byte order mark of each.
        text = text.replace("\n\ufeff", "\n")
    # The bytes of UTF-16 cannot be searched: every ASCII letter has a NUL.
    searched = data.removeprefix(codecs.BOM_UTF8).rstrip(_TRAILING.encode())
    place = first_forbidden(text, None if marked == "utf-16" else searched) if searched_for_forbidden else None
    if place is not None:
        line, column = text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)
        return Decoded("", "control_character", line=line, column=column, value=code_point(text[place]))
    changed = marked or rule or has_returns or is_joined or len(text) < characters
    return Decoded(text, rule, detail, original=None if changed else data)


def _decode_windows_1252(data: bytes) -> str:
    """Decode ``data`` as Windows-1252.

    Where none of the 32 bytes occurs that differ from Latin-1, decode it as Latin-1, which is ten times as fast.
    """
    other = data.translate(None, _LIKE_LATIN_1)
    return data.decode("cp1252", errors="replace") if other else data.decode("latin-1")


def decode_report(data: bytes) -> Decoded:
    """Decode ``data`` as :func:`decode` does, and refuse too many lines, too many players and lines that are too long.

    These limits are checked before the text is parsed, because exceeding them is what makes parsing expensive.
    """
    decoded = decode(data)
    text = decoded.text
    if len(text) <= LINE_LENGTH:
        return decoded
    # A line over the limit covers at least one whole block of half the limit. Nearly always every block has a line end,
    # and the search for it ends soon.
    block = LINE_LENGTH // 2
    if len(text) < _MIN_PLAYER_LINE * PLAYERS and all(
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
