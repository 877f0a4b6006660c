"""Bytes to text: which encoding a report is written in, and one kind of line end.

TRF says nothing about encodings, and programs write UTF-8 with and without a byte order mark, UTF-16 and the Windows
code pages. Everything a rating needs is plain ASCII, so a wrong guess can only spoil the letters of a name; the guess
is recorded nevertheless.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# What DOS programs leave behind the last line: end-of-file marks and padding.
_TRAILING = "\x00\x1a"


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a file, lines ended by LF only, and what had to be assumed or refused.

    ``rule`` is empty, or the code in :data:`ratinglist.findings.RULES` of what was noticed, with its ``detail``. Where
    that rule refuses the file, ``text`` is empty.
    """

    text: str
    rule: str = ""
    detail: str = ""


def decode(data: bytes) -> Decoded:
    """The text of ``data``: by its byte order mark, else UTF-8, else Windows-1252, else Latin-1.

    Line ends CR, CRLF and LF become LF; U+0085 and the other characters that Unicode calls line ends stay, for in a
    code page they are letters. NUL and 0x1A at the end are dropped. A NUL elsewhere means the file is no text.
    """
    rule = detail = ""
    marked = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    try:
        text = data.decode(marked or "utf-8")
    except UnicodeDecodeError as error:
        if marked:
            return Decoded("", "binary_file", f"byte {error.start + 1} does not fit the encoding it announces")
        text, detail = _by_code_page(data)
        rule = "encoding_assumed"
    text = text.rstrip(_TRAILING)
    if not text or text.isspace():
        return Decoded("", "empty_file")
    if "\x00" in text:
        return Decoded("", "binary_file", f"character {text.index(chr(0)) + 1} is a NUL")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return Decoded(text, rule, detail)


def _by_code_page(data: bytes) -> tuple[str, str]:
    try:
        return data.decode("cp1252"), "Windows-1252"
    except UnicodeDecodeError:
        return data.decode("latin-1"), "Latin-1"
