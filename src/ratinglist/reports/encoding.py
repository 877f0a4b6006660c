"""Decoding of reports: detect the encoding, normalise line ends, and refuse characters and sizes that are not allowed.

TRF does not define an encoding, and programs write UTF-8 with and without a byte order mark, UTF-16 and the Windows
code pages. Everything a rating needs is plain ASCII, so a wrong guess can only spoil the letters of a name; the guess
is recorded as a note nevertheless.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import polars as pl

from ratinglist.findings import finding
from ratinglist.limits import LINE_LENGTH, PLAYERS, REPORT_LINES, TABLE_LINE_LENGTH
from ratinglist.tables import FILE_FINDING
from ratinglist.text import OTHER_BLANK, UNSEEN, code_point, first_forbidden

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Characters that DOS programs write after the last line: end-of-file marks and padding.
_TRAILING = "\x00\x1a"
# Least characters of a player line, with its line end. Any other line has at least one.
_MIN_PLAYER_LINE = 4
_PIECE: Final = 8 * 2**20
"""Bytes that are decoded at once where the text of a file is wanted in pieces."""
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
    A character of :data:`ratinglist.text.FORBIDDEN` refuses the file (``control_character``), unless the caller
    judges the cells one by one and ``searched_for_forbidden`` is false.
    """
    rule = detail = ""
    marked = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    try:
        text = data.decode(marked or "utf-8")
    except UnicodeDecodeError as error:
        if marked:
            return Decoded("", "binary_file", _misfit(error, len(data)))
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
    searched = None if marked == "utf-16" else data.removeprefix(codecs.BOM_UTF8).rstrip(_TRAILING.encode())
    place = first_forbidden(text, searched, is_utf8=not rule) if searched_for_forbidden else None
    if place is not None:
        line, column = text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)
        return Decoded("", "control_character", line=line, column=column, value=code_point(text[place]))
    changed = marked or rule or has_returns or is_joined or len(text) < characters
    return Decoded(text, rule, detail, original=None if changed else data)


class UndecodableError(ValueError):
    """A file is not text. The message says why, as the detail of the rule ``binary_file`` does."""


def decoded_pieces(data: bytes) -> Iterator[str]:
    """Yield the text of ``data``, decoded as by :func:`decode`, in pieces of whole lines, without the last line end.

    So a table of any size takes the memory of its bytes and of one piece. Control characters are not searched for. A
    file of padding alone has no piece. Raises :class:`UndecodableError` for bytes that do not fit the encoding, a NUL,
    and a line of more than :data:`~ratinglist.limits.TABLE_LINE_LENGTH` characters, in the place of the piece with it.
    """
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "") or _encoding_without_mark(data)
    errors = "replace" if encoding == "cp1252" else "strict"
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(encoding)(errors), translate=True)
    rest, line = "", 1
    for start in range(0, len(data), _PIECE):
        try:
            rest += decoder.decode(data[start : start + _PIECE], start + _PIECE >= len(data))
        except UnicodeDecodeError as error:
            raise UndecodableError(_misfit(error, min(start + _PIECE, len(data)))) from None
        # What may be padding at the end of the file waits for what comes after it.
        sound = rest.rstrip(_TRAILING)
        end = sound.rfind("\n")
        if "\x00" in sound:
            raise UndecodableError(f"line {line + sound.count(chr(10), 0, sound.index(chr(0)))} has a NUL")
        if len(sound) - end - 1 > TABLE_LINE_LENGTH:
            long = line + sound.count("\n")
            raise UndecodableError(f"line {long} has more than {TABLE_LINE_LENGTH} characters")
        if end >= 0:
            yield _without_marks(sound[:end], is_first=line == 1)
            line += sound.count("\n")
            rest = rest[end + 1 :]
    if last := rest.rstrip(_TRAILING):
        yield _without_marks(last, is_first=line == 1)


def _misfit(error: UnicodeDecodeError, end: int) -> str:
    """Return which byte of a file does not fit; ``end``: how many were decoded.

    The decoder counts from the first byte that it was given now: without the byte order mark that it has dropped, and
    with the bytes of a character that began before.
    """
    return f"byte {end - len(error.object) + error.start + 1} does not fit the encoding it announces"


def _without_marks(text: str, *, is_first: bool) -> str:
    """Return whole lines without a byte order mark that begins one; that of the file is taken by the decoder."""
    text = text.replace("\n\ufeff", "\n") if "\n\ufeff" in text else text
    return text if is_first else text.removeprefix("\ufeff")


def _encoding_without_mark(data: bytes) -> str:
    """Return ``utf-8`` where ``data`` is, else ``cp1252``."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), _PIECE):
            decoder.decode(data[start : start + _PIECE], start + _PIECE >= len(data))
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


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


def leave_out(rows: pl.DataFrame, name: str, column: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return ``rows`` with the text ``name`` as a reader sees it, trimmed, and a note for every text that changed.

    In: ``file_no``, ``line`` and the text, which begins in ``column`` of its line. Blanks of other widths become
    blanks, without a note. Out: the rows in their order, and findings of ``unseen_character``.
    """
    texts = rows[name]
    # Hardly a text has more bytes than characters, and only such a text can have one of these characters.
    wide = texts.filter(texts.str.len_bytes() > texts.str.len_chars())
    if not wide.str.contains(f"{UNSEEN}|{OTHER_BLANK}").any():
        return rows, FILE_FINDING.empty()
    text = pl.col(name)
    cleaned = text.str.replace_all(UNSEEN, "").str.replace_all(OTHER_BLANK, " ").str.strip_chars()
    found = rows.select("file_no", "line", cleaned.alias("seen"), text.str.extract(f"({UNSEEN})").alias("character"))
    found = found.drop_nulls("character")
    characters = found["character"].unique().to_list()
    code_points = pl.col("character").replace_strict(
        characters, [code_point(one) for one in characters], return_dtype=pl.String
    )
    notes = finding(
        "unseen_character", found, line=pl.col("line"), column=column, value=code_points, detail=pl.col("seen")
    )
    return rows.with_columns(cleaned.alias(name)), notes
