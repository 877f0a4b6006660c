"""The table of list formats: which can be read and written, and what an export of each may carry.

To add a format, write its module and add its entry to :data:`FORMATS`. The command line, the names of files, the
recognition of imported lists and the reference pages follow from the table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from ratinglist.lists import (
    changed_since,
    csv_list,
    fide_xml,
    pairing_lists,
    parquet_list,
    player_table,
    selection,
    spreadsheet,
    workbook,
)
from ratinglist.lists.export_request import ExportRequest, PreparedExport, PublishedLists
from ratinglist.lists.fide_txt import reader as fide_txt_reader
from ratinglist.lists.fide_txt import writer as fide_txt_writer
from ratinglist.lists.inspection import Inspection
from ratinglist.lists.raw_list import RawList
from ratinglist.schemas import FIDE_COLUMNS, LISTED


@dataclass(frozen=True, slots=True)
class Reader:
    """How lists of a format are imported.

    ``recognises``: whether a file with these first bytes has the format. ``read``: the list in an open file; it adds
    what is wrong to the inspection, or raises :class:`~ratinglist.lists.inspection.OfficialListError`.
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
    ``name_suffix``: added to the usual name, to tell apart formats with the same ending. ``compares``: whether the
    format compares the list with that of ``--since``.
    """

    description: str
    ending: str
    columns: tuple[str, ...]
    writer: Writer
    reader: Reader | None = None
    fide_name: str = ""
    single_list_name: str = ""
    name_suffix: str = ""
    compares: bool = False


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
        Writer(spreadsheet.prepare, csv_list.write_for_spreadsheets),
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
    "changes-since": ListFormat(
        "players added, removed or changed since the list of --since; CSV in UTF-8, lines ended by LF",
        ".csv",
        changed_since.COLUMNS,
        Writer(changed_since.prepare, csv_list.write),
        compares=True,
    ),
}
"""Every format by its name on the command line.

No format may carry more than what a published list shows of a player; of the birth date that is the year. A test
searches every exported file for birth dates. The order of the entries is the order in which imported lists are
recognised.
"""

LIST_READERS = tuple(one.reader for one in FORMATS.values() if one.reader is not None)
"""The readers of official lists, in the order in which they are tried."""

PLAYER_READERS = (*LIST_READERS, Reader(player_table.recognises, player_table.read))
"""The readers of files of players."""

PLAYER_WORKBOOK = Reader(lambda head: head.startswith(b"PK"), player_table.read_workbook)
"""The reader of workbooks of players."""
