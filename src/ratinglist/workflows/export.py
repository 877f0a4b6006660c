"""A published revision into one file of the format that was asked for. Reads nothing but what was published."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import polars as pl

from ratinglist.config import Settings
from ratinglist.errors import CheckError, CommandLineError, NothingReadError
from ratinglist.lists import (
    export_formats,
    export_selection,
    fide_txt_writer,
    fide_xml_writer,
    pairing_lists,
    spreadsheet,
    workbook,
)
from ratinglist.lists.atomic_file import place, target
from ratinglist.lists.changed_since import STATUSES, changed_since
from ratinglist.lists.export_formats import Wish
from ratinglist.lists.export_summary import ExportSummary
from ratinglist.lists.transliteration import Letters, in_ascii
from ratinglist.publication import revisions
from ratinglist.publication.integrity import intact
from ratinglist.publication.manifest import MANIFEST
from ratinglist.schemas import LISTED, LISTS
from ratinglist.store.table_files import write_csv, write_parquet

SLICE = 131_072
"""Players made into text at once, so that memory does not grow with the list."""


@dataclass(frozen=True, slots=True)
class Revision:
    """What an export reads. ``lists``: frames of ``LISTED`` by time control, in their published order.

    ``carried``: the columns that the office publishes, in order. The others are blank, or null where they are numbers.
    ``family``: of rules, by the manifest; empty where it does not say.
    """

    folder: Path
    lists: dict[str, pl.DataFrame]
    carried: tuple[str, ...]
    family: str


Made = tuple[Callable[[Path], None], int, dict[str, int]]
"""What writes the file, how many rows it has, and the counts of its summary."""


def export(settings: Settings, wish: Wish, out: Path | None = None) -> ExportSummary:
    """Write what was asked for to ``out``: a file, a folder (then the file has its usual name), or ``-`` for stdout.

    Default: the usual name in the current folder. Raises :class:`CommandLineError` where the wish contradicts itself
    or the file cannot stand where it is told, :class:`NothingReadError` where there is nothing to export,
    :class:`AlteredError` where what it reads is not what was published, and :class:`ExportError` where a value has no
    place in the format; then nothing is written.
    """
    if wish.federation is not None:
        wish = replace(wish, federation=wish.federation.upper())
    if out is not None and out.suffix.lower() == ".zip" and wish.format in ("fide-txt", "fide-xml"):
        wish = replace(wish, zipped=True)
    export_formats.check(wish)
    member = export_formats.file_name(wish)
    path = target(out, export_formats.zip_name(wish) if wish.zipped else member, settings.home)
    export_formats.check_ending(wish, path.suffix)
    folder = revisions.chosen(settings.published, wish.period, wish.revision)
    write, rows, counts = _made(settings, wish, _read(folder, wish, absent=wish.format == "changes-since"))
    placed = place(path, write, member if wish.zipped else None)
    return ExportSummary(
        file=str(path),
        format=wish.format,
        month=str(wish.period),
        revision=folder.name,
        rows=rows,
        bytes=placed.bytes,
        sha256=placed.sha256,
        counts=counts,
    )


def _made(settings: Settings, wish: Wish, revision: Revision) -> Made:
    """The file that was asked for, not written yet: everything that can be wrong with it was looked for."""
    if wish.format == "changes-since":
        return _changes(settings, wish, revision)
    lists = revision.lists
    some = export_selection.chosen(lists, wish.federation, wish.top)
    if not any(rows.height for rows in some.values()):
        raise NothingReadError(_nobody(lists, wish))
    if wish.format == "fide-txt":
        return _fide_text(lists, some, wish)
    if wish.format == "fide-xml":
        return _fide_xml(lists, some, wish)
    if wish.format == "xlsx":
        workbook.check(some)
        columns = [name for name in export_formats.COLUMNS["xlsx"] if name in revision.carried]
        return lambda path: workbook.write_workbook(path, some, wish.period, columns), _rows(some), {}
    whole = pl.concat(some.values())
    together = whole.select(revision.carried)
    if wish.format == "parquet":
        return lambda path: _write_parquet(path, together), together.height, {}
    if wish.format == "csv":
        return lambda path: _write_csv(path, together), together.height, {}
    if wish.format == "csv-spreadsheet":
        safe, changed = spreadsheet.guarded(together)
        return lambda path: _write_table(path, safe, ","), together.height, {"cells_guarded": changed}
    return _pairing_list(whole, wish, revision)


def _fide_text(lists: Mapping[str, pl.DataFrame], some: Mapping[str, pl.DataFrame], wish: Wish) -> Made:
    players, letters = in_ascii(_players(lists, some, wish))
    fields = fide_txt_writer.layout(one_list=wish.period if wish.of_one_list else None, legacy=wish.legacy)
    fitted, cut = fide_txt_writer.fitted(players.sort("name", "fide_id"), fields)

    def write(path: Path) -> None:
        with path.open("wb") as stream:
            stream.write(f"{fide_txt_writer.header(fields)}{fide_txt_writer.LINE_END}".encode())
            for part in fitted.iter_slices(SLICE):
                _write_lines(stream, fide_txt_writer.lines(part, fields), fide_txt_writer.LINE_END)

    return write, fitted.height, {**_counted(letters), "texts_cut": cut}


def _fide_xml(lists: Mapping[str, pl.DataFrame], some: Mapping[str, pl.DataFrame], wish: Wish) -> Made:
    players = _players(lists, some, wish).sort("name", "fide_id")
    fide_xml_writer.check(players)
    shown = fide_xml_writer.elements(one_list=wish.of_one_list is not None, legacy=wish.legacy)

    def write(path: Path) -> None:
        with path.open("wb") as stream:
            stream.write(f"{fide_xml_writer.HEADER}{fide_xml_writer.LINE_END}".encode())
            for part in players.iter_slices(SLICE):
                _write_lines(stream, fide_xml_writer.lines(part, shown), fide_xml_writer.LINE_END)
            stream.write(f"{fide_xml_writer.FOOTER}{fide_xml_writer.LINE_END}".encode())

    return write, players.height, {}


def _pairing_list(rows: pl.DataFrame, wish: Wish, revision: Revision) -> Made:
    family = revision.family
    if not family:
        raise CheckError(
            f"{revision.folder / MANIFEST} does not say by which family of rules the list was calculated. Nothing was "
            "exported; publish the list again."
        )
    players, letters = in_ascii(rows)
    if wish.format == "swiss-manager-csv":
        table = pairing_lists.swiss_manager(players, family)
        return lambda path: _write_table(path, table, ","), table.height, _counted(letters)
    archive, cut = pairing_lists.vega(players, family)
    counts = {**_counted(letters), "texts_cut": cut}
    return lambda path: _write_table(path, archive, ";"), archive.height, counts


def _changes(settings: Settings, wish: Wish, revision: Revision) -> Made:
    if wish.since is None:
        raise CommandLineError("--format changes-since needs the list to compare with: add --since YYYY-MM.")
    before = _read(revisions.chosen(settings.published, wish.since, None), wish, absent=True)
    compared = [name for name in export_formats.COMPARED if name in revision.carried and name in before.carried]
    rows = changed_since(revision.lists, before.lists, wish.federation, compared)
    counts = {status: rows.filter(pl.col("status") == status).height for status in STATUSES}
    return lambda path: _write_csv(path, rows), rows.height, counts


def _players(lists: Mapping[str, pl.DataFrame], some: Mapping[str, pl.DataFrame], wish: Wish) -> pl.DataFrame:
    """The players of the one list, or all lists together, one row each."""
    return some[wish.of_one_list] if wish.of_one_list else export_selection.combined(lists, some)


def _read(folder: Path, wish: Wish, *, absent: bool = False) -> Revision:
    """The lists of a revision that are asked for; ``absent``: there may be none."""
    only = wish.of_one_list
    told, paths = intact(folder, [f"{name}.parquet" for name in LISTS if only in (None, name)])
    found = {path.stem: pl.read_parquet(path, glob=False) for path in paths}
    if not found and not absent:
        there = [name for name in LISTS if f"{name}.parquet" in told.files]
        raise NothingReadError(
            f"{folder} has no {only or 'standard, rapid or blitz'} list; it has: {', '.join(there) or 'none'}."
        )
    carried = tuple(name for name in LISTED.columns if all(name in rows.columns for rows in found.values()))
    if wish.federation is not None and "federation" not in carried:
        raise NothingReadError(f"{folder} does not say anybody's federation: leave --federation out.")
    lists = {name: _whole(rows) for name, rows in found.items()}
    return Revision(folder, lists, carried, str(told.facts.get("family", "")))


def _whole(rows: pl.DataFrame) -> pl.DataFrame:
    """``rows`` as ``LISTED``, with nothing in the columns that the office leaves out of what it publishes."""
    missing = [
        pl.lit("" if column.dtype == pl.String else None).alias(name)
        for name, column in LISTED.columns.items()
        if name not in rows.columns
    ]
    return LISTED.conform(rows.with_columns(missing))


def _nobody(lists: Mapping[str, pl.DataFrame], wish: Wish) -> str:
    codes = sorted(set().union(*(rows["federation"].unique().to_list() for rows in lists.values())))
    named = ", ".join(code or "(blank)" for code in codes[:20]) + (", ..." if len(codes) > 20 else "")
    asked = wish.federation or "any federation"
    return f"Nobody on the list of {wish.period} is of {asked}; there is: {named or 'nobody'}."


def _counted(letters: Letters) -> dict[str, int]:
    return {
        "names_changed": letters.names,
        "letters_replaced": letters.replaced,
        "letters_dropped": letters.dropped,
    }


def _rows(lists: Mapping[str, pl.DataFrame]) -> int:
    return sum(rows.height for rows in lists.values())


def _write_lines(stream: BinaryIO, lines: pl.DataFrame, line_end: str) -> None:
    """Write one column of text as it stands."""
    lines.write_csv(stream, include_header=False, quote_style="never", line_terminator=line_end)


def _write_table(path: Path, rows: pl.DataFrame, separator: str) -> None:
    """Write CSV as office programs expect it: lines ended by CR and LF, quoted only where RFC 4180 asks for it."""
    plain = rows.with_columns(pl.col(pl.String).replace("", None))
    plain.write_csv(path, include_bom=False, line_terminator="\r\n", separator=separator, null_value="")


def _write_csv(path: Path, rows: pl.DataFrame) -> None:
    write_csv(path, rows)


def _write_parquet(path: Path, rows: pl.DataFrame) -> None:
    write_parquet(path, replace(LISTED, columns={name: LISTED.columns[name] for name in rows.columns}), rows)
