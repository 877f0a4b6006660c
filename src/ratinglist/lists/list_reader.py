"""Official lists and files of players, in every form they come in: the starting point, and what to reconcile with.

FIDE's text and XML lists, CSV and Parquet with the contract's columns, each also as the one file of a zip; told apart
by their content. A list is read in batches, for FIDE's has two million players, and refused whole: a reader of the
batches keeps nothing before the last one came.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import polars as pl

from ratinglist import zip_files
from ratinglist.errors import CommandLineError
from ratinglist.limits import LIST_BYTES, PARQUET_ZIPPED_BYTES, SHOWN_LENGTH
from ratinglist.lists.csv_list import is_plain_csv, read_csv
from ratinglist.lists.fide_txt_reader import is_fide_text, read_fide_text
from ratinglist.lists.fide_xml_reader import read_fide_xml
from ratinglist.lists.list_rows import check_state, rows, values
from ratinglist.lists.list_source import (
    MONTH_NAMES,
    TIME_CONTROLS,
    Inspection,
    Note,
    OfficialListError,
    OfficialSource,
    list_month,
)
from ratinglist.lists.parquet_list import read_parquet
from ratinglist.period import Period
from ratinglist.safe_text import on_one_line, shortened
from ratinglist.schemas import PLAYER

__all__ = ["Note", "OfficialBatch", "OfficialListError", "read", "read_players"]

_HEAD_BYTES = 64 * 1024
_OF_WORKBOOKS = {"xl/workbook.xml", "xl/workbook.bin", "content.xml"}
"""What a zip holds that is a workbook of Excel or of LibreOffice."""
_FILE_NAME = re.compile(
    rf"(?P<list>{'|'.join(TIME_CONTROLS)})_(?:(?P<month>{'|'.join(MONTH_NAMES)})(?P<year>\d\d)frl)?",
    re.ASCII | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class OfficialBatch:
    """Some rows of a list (:data:`~official_rows.OFFICIAL_ROW`) and the notes on the file up to here."""

    rows: pl.DataFrame
    notes: tuple[Note, ...]


def read(path: Path, *, month: Period, time_control: str | None = None) -> Iterator[OfficialBatch]:
    """The official list of ``month`` in the file ``path``, in batches of at most some 300,000 rows.

    One row per player and time control (:data:`~official_rows.OFFICIAL_ROW`); a player without any rating
    has one row too, in a combined list without time control. ``time_control`` says which list a file of one time
    control is, where neither a column nor the file name (``rapid_rating_list.txt``) does. The notes of the last batch
    are those of the whole file.

    Raises :class:`OfficialListError`, perhaps after some batches, where anything in the file cannot be understood, a
    FIDE ID stands twice in a list, or the file says it is of another month; :class:`CommandLineError` where
    ``time_control`` is missing or contradicts the file.
    """
    with _opened(path) as (source, inspection, names):
        _check_month(source, inspection, names, month)
        chosen = _time_control(source, names, inspection, time_control)
        seen: list[pl.DataFrame] = []
        for raw in _careful(source.batches, inspection):
            found = rows(values(raw, source, inspection, month), source, chosen)
            check_state(found, inspection, month)
            inspection.stop_if_hopeless()
            if source.has_time_control and time_control is not None:
                _check_only(found, inspection, time_control)
            seen.append(_seen(found, source))
            if not inspection.problems:
                yield OfficialBatch(found.drop("line"), inspection.notes)
        _check_seen(seen, inspection)
        inspection.stop()


def read_players(path: Path) -> Iterator[pl.DataFrame]:
    """The players in the file ``path``, whatever ratings it holds: frames of ``PLAYER``, every player once.

    Raises :class:`OfficialListError`, perhaps after some frames, where anything said of a player cannot be
    understood, or a FIDE ID stands twice: in CSV and Parquet it may, with the same data (a row per time control).
    """
    with _opened(path) as (source, inspection, _names):
        seen: list[pl.DataFrame] = []
        for raw in _careful(source.batches, inspection):
            found = values(raw, source, inspection, None)
            inspection.stop_if_hopeless()
            players = PLAYER.conform(found).insert_column(0, found["line"])
            new = players
            if source.has_time_control:
                new = players.unique("fide_id", keep="first", maintain_order=True)
                for earlier in seen:
                    new = new.join(earlier, on="fide_id", how="anti", maintain_order="left")
            seen.append(_seen(players.with_columns(time_control=pl.lit(None, dtype=pl.String)), source))
            if not inspection.problems:
                yield new.drop("line")
        _check_seen(seen, inspection, once=not source.has_time_control)
        inspection.stop()


@contextmanager
def _opened(path: Path) -> Iterator[tuple[OfficialSource, Inspection, tuple[str, ...]]]:
    """The list in the file, its inspection, and the names it goes by: that inside the zip, that of the file."""
    with ExitStack() as stack:
        inspection = Inspection(path.name)
        if path.exists() and not path.is_file():
            raise inspection.refused("this is not an ordinary file", "name the list itself")
        try:
            stream: IO[bytes] = stack.enter_context(path.open("rb"))
        except OSError as wrong:
            raise inspection.refused(f"cannot be opened ({wrong.strerror})", "check the path") from None
        if (size := path.stat().st_size) > LIST_BYTES:
            raise inspection.refused(f"it has {size} bytes, and at most {LIST_BYTES} are read", "give one list alone")
        names: tuple[str, ...] = (path.name,)
        if _head(stream).startswith(b"PK\x03\x04"):
            member, stream = _only_member(stream, stack, inspection)
            names = (Path(member).name, path.name)
            inspection.file = f"{path.name}/{member}"
        with _undamaged(inspection):
            source = _source(stream, path, inspection)
        yield source, inspection, names


def _only_member(stream: IO[bytes], stack: ExitStack, inspection: Inspection) -> tuple[str, IO[bytes]]:
    """The name and the content of the one file in the zip ``stream``."""
    try:
        members = zip_files.members(stream, LIST_BYTES)
        if any(member.name in _OF_WORKBOOKS for member in members):
            raise inspection.refused("this is a workbook and no list", "export the sheet as CSV and give that")
        if len(members) != 1:
            raise inspection.refused(f"it holds {len(members)} files", "give a zip with one list, or the list itself")
        if members[0].problem:
            raise inspection.refused(f"the file in it is not read: {members[0].problem}", "give the list itself")
        stream.seek(0)
        opened = stack.enter_context(zipfile.ZipFile(stream))
        return members[0].name, stack.enter_context(opened.open(members[0].entry))
    except zip_files.TooLargeError as wrong:
        raise inspection.refused(f"it {wrong}", "unzip it and give the list") from None
    except zip_files.UNREADABLE as wrong:
        raise inspection.refused(f"not a readable zip ({on_one_line(str(wrong))})", "give the list itself") from None


@contextmanager
def _undamaged(inspection: Inspection) -> Iterator[None]:
    """Say of an archive damaged further in that it is."""
    try:
        yield
    except zip_files.DAMAGED as wrong:
        raise inspection.refused(f"the zip is damaged ({on_one_line(str(wrong))})", "fetch it again") from None


def _careful(batches: Iterator[pl.DataFrame], inspection: Inspection) -> Iterator[pl.DataFrame]:
    """``batches`` that hold something; a damaged archive and a list of nobody are refusals."""
    found = False
    with _undamaged(inspection):
        for batch in batches:
            if batch.height:
                found = True
                yield batch
    if not found and not inspection.problems:
        raise inspection.refused("it holds no players", "send a list with at least one player")


def _head(stream: IO[bytes]) -> bytes:
    head = stream.read(_HEAD_BYTES)
    stream.seek(0)
    return head


def _source(stream: IO[bytes], path: Path, inspection: Inspection) -> OfficialSource:
    """The list in ``stream``, which is ``path`` or the file in that zip, by the reader for its content."""
    head = _head(stream)
    if head.startswith(b"PAR1"):
        if not isinstance(stream, zipfile.ZipExtFile):
            return read_parquet(path, inspection)
        content = stream.read(PARQUET_ZIPPED_BYTES + 1)
        if len(content) > PARQUET_ZIPPED_BYTES:
            raise inspection.refused(f"it has more than {PARQUET_ZIPPED_BYTES} bytes in a zip", "give the file itself")
        return read_parquet(content, inspection)
    # UTF-16, which only XML can declare, has its marks among the letters; the first one is enough to know it.
    text = head.removeprefix(b"\xef\xbb\xbf").decode("latin-1").lstrip()
    if text.startswith(("<", "\xff\xfe<", "\xfe\xff\x00<")):
        return read_fide_xml(stream, inspection)
    first_line = re.split(r"[\r\n]", text, maxsplit=1)[0]
    if is_fide_text(first_line):
        return read_fide_text(stream, inspection)
    if is_plain_csv(first_line):
        return read_csv(stream, inspection)
    raise inspection.refused(
        f"not an official list in any known form; its first line is '{shortened(first_line, SHOWN_LENGTH)}'",
        "give FIDE's text or XML list, or CSV or Parquet with a column fide_id",
    )


def _check_month(source: OfficialSource, inspection: Inspection, names: tuple[str, ...], month: Period) -> None:
    """Refuse a list that says it is of another month: in its header or rows, else in FIDE's archive's file name."""
    says = source.month
    for name in names:
        named = _FILE_NAME.match(name)
        if says is None and named and named["month"]:
            says = list_month(named["month"], named["year"])
    if says is not None and says != month:
        raise inspection.refused(
            f"this is the list of {says}, not of {month}", f"import it with --month {says}, or give the list of {month}"
        )


def _time_control(
    source: OfficialSource, names: tuple[str, ...], inspection: Inspection, asked: str | None
) -> str | None:
    """The time control of a list of one; None where the rows say it."""
    if asked is not None and asked not in TIME_CONTROLS:
        raise CommandLineError(f"'{asked}' is no time control: write {', '.join(TIME_CONTROLS)}.")
    if source.combined and asked is not None:
        raise CommandLineError(f"{inspection.file} holds all three time controls: leave --time-control out.")
    if source.combined or source.has_time_control:
        return None
    named = [found["list"].lower() for name in names if (found := _FILE_NAME.match(name))]
    if asked is not None and named and named[0] != asked:
        raise CommandLineError(f"{inspection.file} is the {named[0]} list by its name, not the {asked} one: rename it.")
    if asked is None and not named:
        raise CommandLineError(
            f"{inspection.file} does not say which list it is: add --time-control standard, rapid or blitz."
        )
    return asked or named[0]


def _check_only(found: pl.DataFrame, inspection: Inspection, time_control: str) -> None:
    inspection.refuse(
        found.filter(pl.col("time_control") != time_control).select("line", value="time_control"),
        "column time_control",
        f"is not {time_control}, which --time-control asks for",
        "leave --time-control out to read every list of the file",
    )


def _seen(found: pl.DataFrame, source: OfficialSource) -> pl.DataFrame:
    """What is kept of the rows to find a player twice: FIDE ID, time control, a digest of his data, line."""
    kept = found.filter(pl.col("fide_id").is_not_null())
    if source.combined:
        kept = kept.unique("line", maintain_order=True)
    data = pl.struct(name for name in PLAYER.columns if name != "fide_id")
    list_number = pl.col("time_control").replace_strict(
        {name: number for number, name in enumerate(TIME_CONTROLS)}, default=None, return_dtype=pl.Int8
    )
    each = list_number if source.has_time_control else pl.lit(None, dtype=pl.Int8)
    return kept.select("fide_id", "line", each.alias("list"), data.hash().alias("data"))


def _check_seen(seen: list[pl.DataFrame], inspection: Inspection, *, once: bool = True) -> None:
    """Refuse a player who stands twice in a list (where he may only ``once``), or with different data."""
    if not seen:
        return
    # Nearly everybody stands once, and of him there is nothing to find.
    every = pl.concat(seen).filter(pl.col("fide_id").is_duplicated()).sort("fide_id", "line")
    remedy = "find out which one is right and leave the other out"
    twice = every.filter(pl.struct("fide_id", "list").is_duplicated()) if once else every.clear()
    again = twice.filter(pl.col("line") != pl.col("line").min().over("fide_id", "list"))
    inspection.refuse(again.select("line", value="fide_id"), "FIDE ID", "stands twice in the list", remedy)
    several = every.filter(pl.col("data") != pl.col("data").first().over("fide_id", order_by="line"))
    others = several.join(again, on=["fide_id", "line"], how="anti")
    inspection.refuse(others.select("line", value="fide_id"), "FIDE ID", "stands twice with different data", remedy)
