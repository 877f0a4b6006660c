"""The table of list formats: which can be read and written, and what an export of each may carry.

To add a format, write its module and add its entry to :data:`FORMATS`. The command line, the names of files, the
recognition of imported lists and the reference pages follow from the table.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from ratinglist.errors import CommandLineError
from ratinglist.lists import (
    csv_list,
    fide_xml,
    pairing_lists,
    parquet_list,
    player_table,
    selection,
    sqlite_list,
    workbook,
)
from ratinglist.lists.fide_txt import reader as fide_txt_reader
from ratinglist.lists.fide_txt import writer as fide_txt_writer
from ratinglist.lists.raw_list import Inspection, RawList
from ratinglist.lists.selection import ExportRequest, PreparedExport, PublishedLists
from ratinglist.tables import FIDE_COLUMNS, LISTED


@dataclass(frozen=True, slots=True)
class Reader:
    """How lists of a format are imported.

    ``recognises``: whether a file with these first bytes has the format. ``read``: the list in an open file; it adds
    what is wrong to the inspection, or raises :class:`~ratinglist.lists.raw_list.OfficialListError`.
    """

    recognises: Callable[[bytes], bool]
    read: Callable[[IO[bytes], Inspection], RawList]


@dataclass(frozen=True, slots=True)
class Writer:
    """How lists are exported in a format.

    ``prepare`` selects and checks the rows; it raises :class:`~ratinglist.errors.ExportError` for a value that the
    format cannot hold. ``write`` writes the prepared rows to a new file.
    """

    prepare: Callable[[PublishedLists, ExportRequest], PreparedExport]
    write: Callable[[Path, PreparedExport, ExportRequest], None]


@dataclass(frozen=True, slots=True)
class ListFormat:
    """One format.

    ``description``: a line for the reference. ``ending``: of its files' names. ``columns``: the field policy, that is
    every column of the published lists that an export may carry; those of a combined list are named ``rapid_rating``.
    ``reader``: None if lists of this format cannot be imported.

    ``fide_name``: FIDE's name of a combined list, for FIDE's own formats, which also have ``--legacy`` and ``--zip``.
    ``single_list_name``: for a format with room for one time control only, the first word of its files' names.
    ``name_suffix``: added to the usual name, to tell apart formats with the same ending.
    """

    description: str
    ending: str
    columns: tuple[str, ...]
    writer: Writer
    reader: Reader | None = None
    fide_name: str = ""
    single_list_name: str = ""
    name_suffix: str = ""


_FIDE_COLUMNS = tuple(
    dict.fromkeys([*FIDE_COLUMNS, *filter(None, selection.fide_columns(one_list=False, legacy=True))])
)


FORMATS: dict[str, ListFormat] = {
    "fide-txt": ListFormat(
        "FIDE's text list: all time controls in a line, or one; ASCII, lines ended by CR LF, by name",
        ".txt",
        _FIDE_COLUMNS,
        Writer(fide_txt_writer.prepare, fide_txt_writer.write),
        Reader(fide_txt_reader.recognises, fide_txt_reader.read),
        fide_name="players_list",
    ),
    "fide-xml": ListFormat(
        "FIDE's XML list: all time controls in a player, or one; ASCII, lines ended by CR LF, by name",
        ".xml",
        _FIDE_COLUMNS,
        Writer(fide_xml.prepare, fide_xml.write),
        Reader(fide_xml.recognises, fide_xml.read),
        fide_name="players_list_xml",
    ),
    "swiss-manager-csv": ListFormat(
        "national list for Swiss-Manager, one time control; ASCII, lines ended by CR LF",
        ".csv",
        pairing_lists.SWISS_MANAGER_COLUMNS,
        Writer(pairing_lists.prepare_swiss_manager, csv_list.write_for_office_programs),
        single_list_name="smanager",
    ),
    "vega-csv": ListFormat(
        "player archive for Vega, one time control, separated by semicolons; ASCII, lines ended by CR LF",
        ".csv",
        pairing_lists.VEGA_COLUMNS,
        Writer(pairing_lists.prepare_vega, partial(csv_list.write_for_office_programs, separator=";")),
        single_list_name="vega",
    ),
    "csv": ListFormat(
        "every published column, for programs; UTF-8, lines ended by LF, exactly as published",
        ".csv",
        tuple(LISTED.columns),
        Writer(csv_list.prepare, csv_list.write),
        Reader(csv_list.recognises, csv_list.read),
    ),
    "csv-spreadsheet": ListFormat(
        "the same with nothing a spreadsheet would calculate; UTF-8 with a byte order mark, lines ended by CR LF",
        ".csv",
        tuple(LISTED.columns),
        Writer(csv_list.prepare_for_spreadsheets, csv_list.write_for_spreadsheets),
        name_suffix="_spreadsheet",
    ),
    "parquet": ListFormat(
        "the same as Parquet",
        ".parquet",
        tuple(LISTED.columns),
        Writer(csv_list.prepare, parquet_list.write),
        Reader(parquet_list.recognises, parquet_list.read),
    ),
    "xlsx": ListFormat(
        "workbook, a sheet for each time control, every text a text",
        ".xlsx",
        workbook.COLUMNS,
        Writer(workbook.prepare, workbook.write),
    ),
    "sqlite": ListFormat(
        "the same as a database of SQLite: a table with indexes on name, federation and rating",
        ".sqlite",
        tuple(LISTED.columns),
        Writer(csv_list.prepare, sqlite_list.write),
    ),
}
"""Every format by its name on the command line.

No format may carry more than what a published list shows of a player; of the birth date that is the year. A test
searches every exported file for birth dates. The order of the entries is the order in which imported lists are
recognised.
"""

LIST_READERS = tuple(one.reader for one in FORMATS.values() if one.reader is not None)
"""The readers of official lists, in the order in which they are tried."""


def _is_foreign_table(head: bytes) -> bool:
    """Return whether a table of players has some published names of columns, such as ``fide_id``, and not all."""
    is_csv = csv_list.recognises(head) and not csv_list.has_required(head)
    return is_csv and player_table.recognises(head)


def _is_incomplete_table(head: bytes) -> bool:
    """Return whether a table of players has some published names of columns, and no name under a known heading."""
    is_csv = csv_list.recognises(head) and not csv_list.has_required(head)
    return is_csv and player_table.lacks_heading(head)


PLAYER_READERS = (
    Reader(_is_foreign_table, player_table.read),
    Reader(_is_incomplete_table, player_table.refuse),
    *LIST_READERS,
    Reader(player_table.recognises, player_table.read),
    Reader(player_table.lacks_heading, player_table.refuse),
)
"""The readers of files of players."""

PLAYER_WORKBOOK = Reader(lambda head: head.startswith(b"PK"), player_table.read_workbook)
"""The reader of workbooks of players."""


_CLUB_LENGTH = 40
_TEXT_ENDINGS = {".csv", ".xml"}


def check_options(request: ExportRequest) -> None:
    """Raise :class:`CommandLineError` if options contradict each other."""
    list_format = FORMATS[request.format]
    own = {
        "--names": (request.original_names, "fide-xml"),
        "--separator": (request.semicolons, "csv-spreadsheet"),
        "--rtg-nat": (request.national_only, "swiss-manager-csv"),
    }
    for option, (is_given, name) in own.items():
        if is_given and request.format != name:
            raise CommandLineError(f"{option} is for {name}: leave it out.")
    if not list_format.fide_name:
        given = [flag for flag, is_given in (("--legacy", request.legacy), ("--zip", request.zipped)) if is_given]
        if given:
            of_fide = [name for name, each in FORMATS.items() if each.fide_name]
            raise CommandLineError(f"{given[0]} is for {' and '.join(of_fide)}: leave it out.")
    if request.federation is not None and not (request.federation.isascii() and request.federation.isalpha()):
        raise CommandLineError(
            f"'{request.federation}' is not a federation's code: write its three letters, such as ITA."
        )
    if request.club is not None and request.top is not None:
        raise CommandLineError("--top does not go with --club, which takes every member: leave it out.")


def check_ending(request: ExportRequest, ending: str) -> None:
    """Raise :class:`CommandLineError` if the ending of a file's name, such as ``.csv``, is that of another format.

    An ending that no format has is allowed, and a text format may always end in ``.txt``.
    """
    own = {".zip"} if request.zipped else {FORMATS[request.format].ending}
    if own <= _TEXT_ENDINGS:
        own.add(".txt")
    if ending.lower() in {".zip", *(each.ending for each in FORMATS.values())} - own:
        description = f"{request.format}, zipped," if request.zipped else request.format
        raise CommandLineError(
            f"A file in the format {description} is no {ending} file: end its name in {' or '.join(sorted(own))}, or "
            "ask for another --format."
        )


def single_time_control(request: ExportRequest) -> str | None:
    """Return the time control of a file that holds one list; None if it holds all lists."""
    return request.time_control or ("standard" if FORMATS[request.format].single_list_name else None)


def file_name(request: ExportRequest) -> str:
    """Return the usual name of the file: FIDE's own name for FIDE's layouts. It names the selected part of a list."""
    part = "".join(
        [
            f"_{request.federation}" if request.federation else "",
            f"_{_in_file_name(request.club)}" if request.club else "",
            f"_top{request.top}" if request.top is not None else "",
        ]
    )
    return f"{_stem(request)}{part}{FORMATS[request.format].ending}"


def _in_file_name(club: str) -> str:
    """Return the letters and digits of a club's name, as much of it as a file's name has room for."""
    return re.sub(r"[\W_]+", "-", club)[:_CLUB_LENGTH].strip("-") or "club"


def zip_name(request: ExportRequest) -> str:
    """Return the usual name of the zip around :func:`file_name`."""
    name = file_name(request)
    stem = name.rsplit(".", 1)[0]
    if request.time_control is not None:
        return f"{stem}_xml.zip" if name.endswith(".xml") else f"{stem}.zip"
    # FIDE names its zips the other way round: the plain name is that of the layout with the arena titles.
    return f"{stem}_legacy.zip" if request.legacy else f"{stem.replace('_foa', '')}.zip"


def _stem(request: ExportRequest) -> str:
    list_format = FORMATS[request.format]
    time_control = single_time_control(request)
    if list_format.fide_name:
        if time_control is not None:
            return f"{time_control}_rating_list"
        return list_format.fide_name + ("" if request.legacy else "_foa")
    if list_format.single_list_name:
        return f"{list_format.single_list_name}_{time_control}_{request.period}"
    return f"{time_control or 'rating_list'}_{request.period}{list_format.name_suffix}"
