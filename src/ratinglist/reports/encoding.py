"""Decoding of reports: detect the encoding, normalise line ends, and refuse characters and sizes that are not allowed.

TRF does not define an encoding, and programs write UTF-8 with and without a byte order mark, UTF-16 and the Windows
code pages. Everything a rating needs is plain ASCII, so a wrong guess can only spoil the letters of a name; the guess
is recorded as a note nevertheless.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import Final

import polars as pl

from ratinglist.findings import finding
from ratinglist.limits import LINE_LENGTH, PLAYERS, REPORT_LINES
from ratinglist.tables import FILE_FINDING
from ratinglist.text import OTHER_BLANK, UNSEEN, code_point, first_forbidden

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_TRAILING: Final = "\x00\x1a"
"""Characters that DOS programs write after the last line: end-of-file marks and padding."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a file, with LF as the only line end, and the finding of the decoder.

    ``rule`` is empty, or the code in :data:`ratinglist.findings.RULES` of the finding, with its place (``line``,
    ``column``, from 1), ``value`` and ``detail``. Where that rule refuses the file, ``text`` is empty.
    """

    text: str
    rule: str = ""
    detail: str = ""
    line: int | None = None
    column: int | None = None
    value: str = ""


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
            # The decoder counts from the byte order mark on.
            number = len(data) - len(error.object) + error.start + 1
            return Decoded("", "binary_file", f"byte {number} does not fit the encoding it announces")
        # If it is another code page, only letters of names are wrong, never the data of a rating.
        text = data.decode("cp1252", errors="replace")
        rule, detail = "encoding_assumed", "Windows-1252"
    text = text.rstrip(_TRAILING)
    if not text or text.isspace():
        return Decoded("", "empty_file")
    if "\x00" in text:
        return Decoded("", "binary_file", f"character {text.index(chr(0)) + 1} is a NUL")
    # Files that were put together keep the byte order mark of each.
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\n\ufeff", "\n").lstrip("\ufeff")
    place = first_forbidden(text) if searched_for_forbidden else None
    if place is not None:
        line, column = text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)
        return Decoded("", "control_character", line=line, column=column, value=code_point(text[place]))
    return Decoded(text, rule, detail)


def decode_report(data: bytes) -> Decoded:
    """Decode ``data`` as :func:`decode` does, and refuse too many lines, too many players and lines that are too long.

    These limits are checked before the text is parsed, because exceeding them is what makes parsing expensive.
    """
    decoded = decode(data)
    text = decoded.text.removesuffix("\n")
    count = text.count("\n") + 1
    if count > REPORT_LINES:
        return Decoded("", "too_many_lines", line=REPORT_LINES + 1, value=str(count), detail=str(REPORT_LINES))
    lines = text.split("\n")
    if (text.startswith("001") + text.count("\n001")) > PLAYERS:
        players = [number for number, line in enumerate(lines, 1) if line.startswith("001")]
        return Decoded("", "too_many_players", line=players[PLAYERS], value=str(len(players)), detail=str(PLAYERS))
    if (length := max(map(len, lines))) > LINE_LENGTH:
        place = next(number for number, line in enumerate(lines, 1) if len(line) == length)
        return Decoded(
            "", "endless_line", line=place, column=LINE_LENGTH + 1, value=str(length), detail=str(LINE_LENGTH)
        )
    return decoded


def leave_out(rows: pl.DataFrame, name: str, column: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return ``rows`` with the text ``name`` as a reader sees it, trimmed, and a note for every text that changed.

    In: ``file_no``, ``line`` and the text, which begins in ``column`` of its line. Blanks of other widths become
    blanks, without a note. Out: the rows in their order, and findings of ``unseen_character``.
    """
    texts = rows[name]
    if not texts.str.contains(f"{UNSEEN}|{OTHER_BLANK}").any():
        return rows, FILE_FINDING.empty()
    text = pl.col(name)
    cleaned = text.str.replace_all(UNSEEN, "").str.replace_all(OTHER_BLANK, " ").str.strip_chars()
    unseen = rows.select("file_no", "line", cleaned.alias("seen"), text.str.extract(f"({UNSEEN})").alias("character"))
    unseen = unseen.drop_nulls("character")
    code_points = pl.col("character").replace(
        {character: code_point(character) for character in unseen["character"].unique()}
    )
    notes = finding(
        "unseen_character", unseen, line=pl.col("line"), column=column, value=code_points, detail=pl.col("seen")
    )
    return rows.with_columns(cleaned.alias(name)), notes
