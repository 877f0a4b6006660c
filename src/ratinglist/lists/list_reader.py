"""Read official lists and files of players in every format: FIDE's text and XML, CSV and Parquet.

The format is recognised by the content; a list may also be the one file of a zip. A
list is read in batches, because FIDE's has two million players, and refused as a whole: a caller may keep nothing of a
list before its last batch.
"""

from __future__ import annotations

import codecs
import re
import zipfile
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import IO

import polars as pl

from ratinglist.errors import CommandLineError
from ratinglist.files import zip_files
from ratinglist.limits import LIST_BYTES, SHOWN_LENGTH
from ratinglist.lists import fide_lists, table_list
from ratinglist.lists.official_rows import (
    MEMBERSHIP_COLUMNS,
    MONTH_NAMES,
    Inspection,
    Note,
    OfficialListError,
    RawList,
    check_state,
    first_line,
    list_month,
    official_rows,
    parse_values,
)
from ratinglist.period import Period
from ratinglist.tables import LISTS, MEMBERSHIP, PLAYER
from ratinglist.text import on_one_line, shortened

__all__ = ["ListBatch", "OfficialListError", "read", "read_players"]

_FILE_NAME = re.compile(
    rf"(?P<list>{'|'.join(LISTS)})_(?:(?P<month>{'|'.join(MONTH_NAMES)})(?P<year>\d\d)frl)?",
    re.ASCII | re.IGNORECASE,
)


_FIRST_FIDE_ID = 100_000
"""FIDE's IDs have six digits or more."""
_MANY = 20
_HEAD_BYTES = 64 * 1024
_ZIP = b"PK\x03\x04"
_REFUSED = (
    (
        (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
        "text in UTF-16, as Excel saves Unicode text",
        "save it again, as CSV in UTF-8",
    ),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "a workbook of Excel before 2007 (.xls), or one with a password",
        "open it, and save its sheet as CSV in UTF-8",
    ),
    (
        b"sqlite format 3\x00",
        "a database of SQLite",
        "export its table of players as CSV, or the list with --format csv",
    ),
    (
        (b"<!doctype html", b"<html", b"<head", b"<body", b"<table"),
        "a web page",
        "copy its table into a spreadsheet, save it as CSV, and give that",
    ),
)
"""The first bytes of files that are not read, in small letters, what they are, and what to do."""
_WORKBOOK_MEMBERS = {"xl/workbook.xml", "xl/workbook.bin", "content.xml"}
"""Files that identify a zip as a workbook of Excel or LibreOffice."""


@dataclass(frozen=True, slots=True)
class ListBatch:
    """Some rows of a list (:data:`~ratinglist.lists.official_rows.OFFICIAL_ROW`), or players of a file (``PLAYER``).

    ``notes``: those on the file so far. ``combined``: the file has one line per player, and one flag for all time
    controls. ``partial``: as in :class:`~ratinglist.lists.official_rows.RawList`. ``stated``: the columns of the file.
    ``memberships``: those of the players of a file (``MEMBERSHIP``), nobody's where the file states none.
    """

    rows: pl.DataFrame
    notes: tuple[Note, ...]
    combined: bool = False
    partial: bool = False
    stated: Collection[str] = ()
    memberships: pl.DataFrame = field(default_factory=MEMBERSHIP.empty)


def read(path: Path, *, month: Period, time_control: str | None = None, name: str | None = None) -> Iterator[ListBatch]:
    """Read the official list of ``month`` in the file ``path``, in batches of at most some 300,000 rows.

    One row per player and time control (:data:`~ratinglist.lists.official_rows.OFFICIAL_ROW`); a player without any
    rating has one row too, in a combined list without time control. ``time_control`` is that of a file of one time
    control, if neither a column nor the file name (``rapid_rating_list.txt``) gives it. ``name``: the name that the
    file was delivered with, where ``path`` is another. The notes of the last batch are those of the whole file.

    Raises :class:`OfficialListError`, perhaps after some batches, if a value cannot be parsed, a FIDE ID occurs twice
    in a list, or the file is of another month; :class:`CommandLineError` if ``time_control`` is missing or contradicts
    the file.
    """
    with _opened(path, name or path.name, is_list=True) as (source, inspection, names):
        chosen = _time_control(source, names, inspection, month, time_control)
        if not any(column.endswith("rating") for column in source.columns):
            columns = ", ".join(column for column in inspection.places if column in source.columns)
            what = "no column has the heading rating, so nobody on this list is rated"
            inspection.note_texts([columns], "no_column_of_ratings", what)
        for parsed in _parsed(source, inspection, month, (month + 1).first_day - timedelta(days=1)):
            rows = official_rows(parsed, source, chosen)
            # What a value that is none would contradict is no problem of its own.
            if not inspection.problems:
                check_state(rows, inspection, month)
            if "time_control" in source.columns and time_control is not None:
                rule = f"is not {time_control}, as --time-control requires"
                remedy = "leave --time-control out to read every list of the file"
                inspection.refuse_values(rows, pl.col("time_control") != time_control, "time_control", rule, remedy)
            if not inspection.problems:
                rows = rows.drop("line")
                yield ListBatch(rows, inspection.notes, combined=source.combined, stated=frozenset(source.columns))


def read_players(path: Path, *, until: date, name: str | None = None) -> Iterator[ListBatch]:
    """Read the players in the file ``path``, without ratings, every player once.

    A file of players may also be a table of a tournament's players, as CSV.

    ``until``: the day of the import, in whose year no player is born. ``name``: see :func:`read`. Raises
    :class:`OfficialListError`, perhaps after some batches, if a value of a player cannot be parsed, or a FIDE ID is
    repeated with different data. With the same data it may be (a row per time control).
    """
    with _opened(path, name or path.name, is_list=False) as (source, inspection, _names):
        known = pl.DataFrame(schema={"fide_id": pl.Int64})
        for players in _parsed(source, inspection, None, date(until.year - 1, 12, 31)):
            inspection.note(
                players.filter(pl.col("name").str.contains("[?\ufffd]")).select("line", value="name"),
                "lost_letters",
                "a name has a question mark where its letter was lost; correct it: import a file with fide_id and name",
            )
            players = players.unique("fide_id", keep="first", maintain_order=True)
            if "time_control" in source.columns:
                players = players.join(known, on="fide_id", how="anti", maintain_order="left")
                known = pl.concat([known, players.select("fide_id")])
            if not inspection.problems:
                yield ListBatch(
                    PLAYER.conform(players),
                    inspection.notes,
                    partial=source.partial,
                    stated=frozenset(source.columns),
                    memberships=MEMBERSHIP.conform(players if "club" in source.columns else players.clear()),
                )


def _parsed(source: RawList, inspection: Inspection, month: Period | None, until: date) -> Iterator[pl.DataFrame]:
    """Yield the batches of a list or a file of players as values; after the last, refuse what is wrong.

    ``month`` and ``until`` as in :func:`~ratinglist.lists.official_rows.parse_values`.
    """
    seen: list[pl.DataFrame] = []
    with _undamaged(inspection):
        for raw in source.batches:
            if raw.height:
                parsed = parse_values(raw, inspection, month, until)
                _note_short_ids(parsed, inspection)
                seen.append(_identity(parsed))
                yield parsed
    if not seen and not inspection.problems:
        raise inspection.refused("it holds no players", "send a list with at least one player")
    if seen:
        _check_repeated(pl.concat(seen), inspection, is_list=month is not None)
    inspection.stop()


def _time_control(
    source: RawList, names: tuple[str, ...], inspection: Inspection, month: Period, requested: str | None
) -> str | None:
    """Return the time control of a list of one time control; None if the rows give it.

    Refuses a list of another month, as its header line gives it, else its file name in FIDE's archive.
    """
    named = [found for name in names if (found := _FILE_NAME.match(name))]
    months = [list_month(found["month"], found["year"]) for found in named if found["month"]]
    if (of_file := source.month or next(iter(months), month)) != month:
        remedy = f"import it with --month {of_file}, or give the list of {month}"
        raise inspection.refused(f"this is the list of {of_file}, not of {month}", remedy)
    if source.combined and requested is not None:
        raise CommandLineError(f"{inspection.file} holds all three time controls: leave --time-control out.")
    if source.combined or "time_control" in source.columns:
        return None
    of_name = named[0]["list"].lower() if named else requested
    if of_name is None:
        raise CommandLineError(
            f"{inspection.file} does not name its time control: add --time-control standard, rapid or blitz."
        )
    if requested not in (None, of_name):
        raise CommandLineError(
            f"{inspection.file} is the {of_name} list by its name, not the {requested} one: rename it."
        )
    return of_name


def _identity(parsed: pl.DataFrame) -> pl.DataFrame:
    """Return what is needed to find repeated players, for each line with a FIDE ID (:func:`parse_values`).

    Out: ``fide_id``, ``list`` (the time control, null if the line gives none), ``line`` and ``data``, a hash of the
    player's data.
    """
    control = "time_control" if "time_control" in parsed.columns else pl.lit(None, dtype=pl.String)
    of_player = [name for name in (*PLAYER.columns, *MEMBERSHIP_COLUMNS) if name in parsed.columns]
    data = pl.struct(name for name in of_player if name != "fide_id")
    kept = parsed.filter(pl.col("fide_id").is_not_null())
    return kept.select("fide_id", "line", list=control, data=data.hash())


def _note_short_ids(parsed: pl.DataFrame, inspection: Inspection) -> None:
    """Note IDs far shorter than FIDE's, where most of many players have such: they may be national numbers."""
    short = parsed.filter(pl.col("fide_id") < _FIRST_FIDE_ID)
    if parsed.height >= _MANY and 2 * short.height > parsed.height:
        inspection.note(
            short.select("line", value="fide_id"),
            "short_ids",
            "an ID is far shorter than FIDE's, and so are most of this file. Look whether they are national numbers: "
            "if they are, undo this import with ratinglist retract, and give a table with a column FideID",
        )


def _check_repeated(seen: pl.DataFrame, inspection: Inspection, *, is_list: bool) -> None:
    """Refuse a player who occurs twice in a list, or with different data. ``seen``: :func:`_identity` of a file."""
    # Nearly all players occur once: drop them before sorting.
    every = seen.filter(pl.col("fide_id").is_duplicated()).sort("fide_id", "line")
    of_player, own = pl.col("line", "data").first().over("fide_id"), pl.struct("fide_id", "list")
    every = every.with_columns(of_player.name.prefix("first_"))
    is_twice = own.is_duplicated() & (pl.col("line") != pl.col("line").min().over("fide_id", "list")) & is_list
    is_other = ~is_twice & (pl.col("data") != pl.col("first_data"))
    for which, rule in ((is_twice, "occurs twice in the list"), (is_other, "occurs twice with different data")):
        repeated = every.filter(which).select("line", value=pl.format("{} (first in line {})", "fide_id", "first_line"))
        inspection.refuse(repeated, "FIDE ID", rule, "find out which one is right and leave the other out")


# ----------------------------------------------------------------------------------------------- opening a file


@contextmanager
def _opened(path: Path, name: str, *, is_list: bool) -> Iterator[tuple[RawList, Inspection, tuple[str, ...]]]:
    """Open the list, or the file of players, in the file ``path``, delivered as ``name``.

    Yields the list, its inspection, and its names: the one inside a zip, then the file's. ``is_list``: tables with
    other headings than the published ones are refused. Raises :class:`OfficialListError` for a file in no known format,
    or that cannot be opened.
    """
    with ExitStack() as stack:
        inspection = Inspection(name)
        # To open a pipe may not end.
        if path.exists() and not path.is_file():
            raise inspection.refused("this is not an ordinary file", "name the list itself")
        try:
            stream: IO[bytes] = stack.enter_context(path.open("rb"))
        except OSError as wrong:
            raise inspection.refused(f"cannot be opened ({wrong.strerror})", "check the path") from None
        names: tuple[str, ...] = (name,)
        with _undamaged(inspection):
            if _head(stream).startswith(_ZIP):
                member, stream = _unzipped(stream, stack, inspection)
                names = (Path(member).name, name)
                inspection.file = f"{name}/{member}"
            source = _read(stream, inspection, is_list=is_list)
        yield source, inspection, names


@contextmanager
def _undamaged(inspection: Inspection) -> Iterator[None]:
    """Refuse a file that turns out to be damaged while its content is read, and one that Polars panics at."""
    try:
        yield
    except pl.exceptions.PanicException as wrong:
        reason = shortened(on_one_line(str(wrong)), SHOWN_LENGTH)
        raise inspection.refused(f"it cannot be read ({reason})", "write it again, and report this file") from None
    except zip_files.DAMAGED as wrong:
        raise inspection.refused(f"the zip is damaged ({on_one_line(str(wrong))})", "fetch it again") from None


def _head(stream: IO[bytes]) -> bytes:
    head = stream.read(_HEAD_BYTES)
    stream.seek(0)
    return head


def _unzipped(stream: IO[bytes], stack: ExitStack, inspection: Inspection) -> tuple[str, IO[bytes]]:
    """Return the name and the opened content of the one file in a zip."""
    try:
        members = zip_files.members(stream, LIST_BYTES)
        stream.seek(0)
        if any(member.name in _WORKBOOK_MEMBERS for member in members):
            raise inspection.refused("this is a workbook", "save its sheet as CSV in UTF-8, and give that")
        if len(members) != 1:
            raise inspection.refused(f"it holds {len(members)} files", "give a zip with one list, or the list itself")
        if members[0].problem:
            raise inspection.refused(f"the file in it is not read: {members[0].problem}", "give the list itself")
        content = stack.enter_context(stack.enter_context(zipfile.ZipFile(stream)).open(members[0].entry))
    except zip_files.TooLargeError as wrong:
        raise inspection.refused(f"it {wrong}", "unzip it and give the list") from None
    except zip_files.UNREADABLE as wrong:
        raise inspection.refused(f"not a readable zip ({on_one_line(str(wrong))})", "give the list itself") from None
    return members[0].name, content


def _read(stream: IO[bytes], inspection: Inspection, *, is_list: bool) -> RawList:
    """Read the list in ``stream`` in the format that its first bytes have."""
    head = _head(stream)
    for mark, what, remedy in _REFUSED:
        if head.removeprefix(codecs.BOM_UTF8).lstrip().lower().startswith(mark):
            raise inspection.refused(f"this is {what}", remedy)
    if fide_lists.is_xml(head):
        return fide_lists.read_xml(stream, inspection)
    if fide_lists.is_text(head):
        return fide_lists.read_text(stream, inspection)
    is_parquet = head.startswith(table_list.PARQUET_MARK)
    table = (table_list.parquet_table if is_parquet else table_list.csv_table)(stream, inspection)
    if table is None and not first_line(head).strip():
        raise inspection.refused("the file is empty, or begins with an empty line", "export the list again")
    if table is None:
        shown = shortened(first_line(head), SHOWN_LENGTH)
        raise inspection.refused(
            f"not an official list in any known form; its first line is '{shown}'",
            "give FIDE's text or XML list, or CSV or Parquet with a column fide_id; a table of players needs headings "
            "such as FideID and Name, and in another alphabet UTF-8",
        )
    return table_list.raw_list(table, inspection, is_list=is_list)
