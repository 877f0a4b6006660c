"""Open the file of a list: by itself, as the one file of a zip, in UTF-8 or UTF-16, in any format that is read.

A zip in a zip is refused, and a workbook where only lists are read: neither is passed over.
"""

from __future__ import annotations

import codecs
import io
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

import polars as pl

from ratinglist.files import zip_files
from ratinglist.limits import LIST_BYTES, SHOWN_LENGTH, UTF_16_BYTES
from ratinglist.lists import fide_txt, fide_xml, table_list
from ratinglist.lists.line_batches import first_line
from ratinglist.lists.raw_list import Inspection, RawList
from ratinglist.text import on_one_line, shortened

_HEAD_BYTES = 64 * 1024
_ZIP = b"PK\x03\x04"
_REFUSED = (
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "a workbook of Excel before 2007 (.xls), or one with a password",
        "open it, and save it again as .xlsx without a password or as CSV",
    ),
    (
        b"SQLite format 3\x00",
        "a database of SQLite",
        "export its table of players as CSV, or the list with --format csv",
    ),
)
"""The first bytes of files that are not read, what they are, and what to do."""
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_WEB_PAGE = ("<!doctype html", "<html", "<head", "<body", "<table")
_WORKBOOK_MEMBERS = {"xl/workbook.xml", "xl/workbook.bin", "content.xml"}
"""Files that identify a zip as a workbook of Excel or LibreOffice."""


@contextmanager
def opened(path: Path, name: str, *, is_list: bool) -> Iterator[tuple[RawList, Inspection, tuple[str, ...]]]:
    """Open the list, or the file of players, in the file ``path``, delivered as ``name``.

    Yields the list, its inspection, and its names: the one inside a zip, then the file's. ``is_list``: workbooks and
    tables with other headings than the published ones are refused. Raises :class:`OfficialListError` for a file in no
    known format, or that cannot be opened.
    """
    with ExitStack() as stack:
        inspection = Inspection(name)
        if path.exists() and not path.is_file():
            raise inspection.refused("this is not an ordinary file", "name the list itself")
        try:
            stream: IO[bytes] = stack.enter_context(path.open("rb"))
        except OSError as wrong:
            raise inspection.refused(f"cannot be opened ({wrong.strerror})", "check the path") from None
        names: tuple[str, ...] = (name,)
        with undamaged(inspection):
            if _head(stream).startswith(_ZIP):
                member, stream = _unzipped(stream, stack, inspection)
                if member:
                    names = (Path(member).name, name)
                    inspection.file = f"{name}/{member}"
            source = _read(stream, inspection, is_list=is_list)
        yield source, inspection, names


@contextmanager
def undamaged(inspection: Inspection) -> Iterator[None]:
    """Refuse a file that turns out to be damaged while its content is read, and one that Polars panics at."""
    try:
        yield
    except pl.exceptions.PanicException as wrong:
        reason = shortened(on_one_line(str(wrong)), SHOWN_LENGTH)
        raise inspection.refused(f"it cannot be read ({reason})", "write it again, and report this file") from None
    except UnicodeDecodeError as wrong:
        raise inspection.refused(
            f"it begins as {wrong.encoding.upper()} and then is not ({wrong.reason})", "save it again, as UTF-8"
        ) from None
    except zip_files.DAMAGED as wrong:
        raise inspection.refused(f"the zip is damaged ({on_one_line(str(wrong))})", "fetch it again") from None


def _head(stream: IO[bytes]) -> bytes:
    head = stream.read(_HEAD_BYTES)
    stream.seek(0)
    return head


def _unzipped(stream: IO[bytes], stack: ExitStack, inspection: Inspection) -> tuple[str, IO[bytes]]:
    """Return the name and the opened content of the one file in a zip; of a workbook no name, and itself."""
    try:
        members = zip_files.members(stream, LIST_BYTES)
        stream.seek(0)
        if any(member.name in _WORKBOOK_MEMBERS for member in members):
            return "", stream
        if len(members) != 1:
            raise inspection.refused(f"it holds {len(members)} files", "give a zip with one list, or the list itself")
        if members[0].problem:
            raise inspection.refused(f"the file in it is not read: {members[0].problem}", "give the list itself")
        content = stack.enter_context(stack.enter_context(zipfile.ZipFile(stream)).open(members[0].entry))
    except zip_files.TooLargeError as wrong:
        raise inspection.refused(f"it {wrong}", "unzip it and give the list") from None
    except zip_files.UNREADABLE as wrong:
        raise inspection.refused(f"not a readable zip ({on_one_line(str(wrong))})", "give the list itself") from None
    if _head(content).startswith(_ZIP):
        raise inspection.refused("it is a zip or a workbook in a zip", "unzip it first")
    return members[0].name, content


def _read(stream: IO[bytes], inspection: Inspection, *, is_list: bool) -> RawList:
    """Read the list in ``stream`` in the format that its first bytes have.

    Text in UTF-16 is converted, with a note; XML is not, because it states its own encoding.
    """
    head = _head(stream)
    if head.startswith(_ZIP):
        if is_list:
            raise inspection.refused("this is a workbook and no list", "export the sheet as CSV and give that")
        return table_list.raw_list(table_list.workbook_table(stream, inspection), inspection, is_list=False)
    if head.startswith(_UTF_16) and not head.decode("utf-16", errors="replace").lstrip().startswith("<"):
        data = stream.read(UTF_16_BYTES + 1)
        if len(data) > UTF_16_BYTES:
            raise inspection.refused(f"it has more than {UTF_16_BYTES} bytes in UTF-16", "save it again, as UTF-8")
        stream = io.BytesIO(data.decode("utf-16").encode())
        head = _head(stream)
        what = "the file is in UTF-16, as Excel saves Unicode text; it was read as that"
        inspection.note_texts([first_line(head)], "utf_16", what)
    for mark, what, remedy in _REFUSED:
        if head.startswith(mark):
            raise inspection.refused(f"this is {what}", remedy)
    if first_line(head).lower().startswith(_WEB_PAGE):
        remedy = "copy its table into a spreadsheet, save it as CSV or .xlsx, and give that"
        raise inspection.refused("this is a web page", remedy)
    if fide_xml.recognises(head):
        return fide_xml.read(stream, inspection)
    if fide_txt.recognises(head):
        return fide_txt.read(stream, inspection)
    is_parquet = head.startswith(table_list.PARQUET_MARK)
    table = (table_list.parquet_table if is_parquet else table_list.csv_table)(stream, inspection)
    if table is None:
        raise _unknown(first_line(head), head, inspection, is_list=is_list)
    return table_list.raw_list(table, inspection, is_list=is_list)


def _unknown(line: str, head: bytes, inspection: Inspection, *, is_list: bool) -> Exception:
    """Return the error for a file whose first line is of no known format."""
    if not line.strip():
        return inspection.refused("the file is empty, or begins with an empty line", "export the list again")
    of_players = "" if is_list else ", or a table with headings such as FideID and Name"
    in_utf_8 = "" if line.isascii() or line.encode() in head else "; a table in another alphabet is read in UTF-8"
    return inspection.refused(
        f"not an official list in any known form; its first line is '{shortened(line, SHOWN_LENGTH)}'",
        f"give FIDE's text or XML list, or CSV or Parquet with a column fide_id{of_players}{in_utf_8}",
    )
