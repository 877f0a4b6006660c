"""The table of export formats: the rows and the writer of each, and the names of its files.

To add a format, write its rows and its writer and add its entry to :data:`FORMATS`. The command line, the names of
files and the reference pages follow from the table.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from ratinglist.errors import CommandLineError
from ratinglist.lists import fide_export, list_writers
from ratinglist.lists.selection import ExportRequest, Prepared, PublishedLists


@dataclass(frozen=True, slots=True)
class ListFormat:
    """One format.

    ``description``: a line for the reference. ``ending``: of its files' names. ``rows`` selects and checks the rows; it
    raises :class:`~ratinglist.errors.ExportError` for a value that the format cannot hold. ``write`` writes them to a
    new file.

    ``fide_name``: FIDE's name of a combined list, for FIDE's own formats, which also have ``--legacy`` and ``--zip``.
    ``single_list_name``: for a format with room for one time control only, the first word of its files' names.
    ``name_suffix``: added to the usual name, to tell apart formats with the same ending.
    """

    description: str
    ending: str
    rows: Callable[[PublishedLists, ExportRequest], Prepared]
    write: Callable[[Path, pl.DataFrame, ExportRequest], None]
    fide_name: str = ""
    single_list_name: str = ""
    name_suffix: str = ""


FORMATS: dict[str, ListFormat] = {
    "fide-txt": ListFormat(
        "FIDE's text list: all time controls in a line, or one; ASCII, lines ended by CR LF, by name",
        ".txt",
        fide_export.text_rows,
        fide_export.write_text,
        fide_name="players_list",
    ),
    "fide-xml": ListFormat(
        "FIDE's XML list: all time controls in a player, or one; ASCII, lines ended by CR LF, by name",
        ".xml",
        fide_export.xml_rows,
        fide_export.write_xml,
        fide_name="players_list_xml",
    ),
    "swiss-manager-csv": ListFormat(
        "national list for Swiss-Manager, one time control; ASCII, lines ended by CR LF",
        ".csv",
        list_writers.swiss_manager_rows,
        list_writers.write_office_csv,
        single_list_name="smanager",
    ),
    "vega-csv": ListFormat(
        "player archive for Vega, one time control, separated by semicolons; ASCII, lines ended by CR LF",
        ".csv",
        list_writers.vega_rows,
        list_writers.write_office_csv,
        single_list_name="vega",
    ),
    "csv": ListFormat(
        "every published column, for programs; UTF-8, lines ended by LF, exactly as published",
        ".csv",
        list_writers.published_rows,
        list_writers.write_csv,
    ),
    "csv-spreadsheet": ListFormat(
        "the same with nothing a spreadsheet would calculate; UTF-8 with a byte order mark, lines ended by CR LF",
        ".csv",
        list_writers.guarded_rows,
        list_writers.write_office_csv,
        name_suffix="_spreadsheet",
    ),
    "parquet": ListFormat(
        "the same as Parquet",
        ".parquet",
        list_writers.published_rows,
        list_writers.write_parquet,
    ),
    "xlsx": ListFormat(
        "workbook, a sheet for each time control, every text a text",
        ".xlsx",
        list_writers.sheet_rows,
        list_writers.write_workbook,
    ),
    "sqlite": ListFormat(
        "the same as a database of SQLite: a table with indexes on name, federation and rating",
        ".sqlite",
        list_writers.published_rows,
        list_writers.write_sqlite,
    ),
}
"""Every format by its name on the command line.

No format may carry more than what a published list shows of a player; of the birth date that is the year. A test
searches every exported file for birth dates.
"""

_CLUB_LENGTH = 40
_TEXT_ENDINGS = {".csv", ".xml"}


def check_options(request: ExportRequest) -> None:
    """Raise :class:`CommandLineError` if options contradict each other."""
    of_fide = tuple(name for name, each in FORMATS.items() if each.fide_name)
    options = {
        "--names": (request.original_names, ("fide-xml",)),
        "--separator": (request.semicolons, ("csv-spreadsheet",)),
        "--rtg-nat": (request.national_only, ("swiss-manager-csv",)),
        "--legacy": (request.legacy, of_fide),
        "--zip": (request.zipped, of_fide),
    }
    for option, (is_given, formats) in options.items():
        if is_given and request.format not in formats:
            raise CommandLineError(f"{option} is for {' and '.join(formats)}: leave it out.")
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
