"""The table of export formats: the rows and the writer of each, and the names of its files.

To add a format, write its rows and its writer and add its entry to :data:`FORMATS`. The command line, the names of
files and the reference pages follow from the table. The same rows always give the same bytes.

The lists for pairing programs, the national list of Swiss-Manager and the player archive of Vega, hold one time control
and two ratings, an international and a national one. Our rating is the international one if it was calculated by the
rule family ``fide``, else the national one; the other is 0, because it is unknown. Programs that read Swiss-Manager's
list take the rating from ``Rtg_Nat``, so it holds our rating in any case. Names are written as in these programs' own
files, ``Surname Given`` in ASCII: neither program documents another encoding.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime, time
from pathlib import Path

import polars as pl

from ratinglist.errors import CommandLineError, ExportError
from ratinglist.lists import fide_export
from ratinglist.lists.selection import ExportRequest, Prepared, PublishedLists
from ratinglist.names.folding import to_ascii
from ratinglist.store import table_files
from ratinglist.tables import LISTED

FIDE_FAMILY = "fide"
VEGA_NAME = 30
"""Letters of a name in Vega's archive."""
MOST_ROWS = 1_048_575
"""Rows of a sheet without its headings."""
_SQL_TABLE = "rating_list"
_INDEXED = ("name", "federation", "rating")
_ROWS_AT_ONCE = 50_000

# ------------------------------------------------------------------------------------------ the published columns


def published_rows(published: PublishedLists, _request: ExportRequest) -> Prepared:
    """Return the selected rows of all lists in one frame, with the columns that the office publishes."""
    return pl.concat(published.selected.values()).select(published.carried), {}


def guarded_rows(published: PublishedLists, request: ExportRequest) -> Prepared:
    """Return the published rows with texts that no spreadsheet calculates; ``cells_guarded`` counts the changed."""
    rows, guarded = table_files.guard_formulas(published_rows(published, request)[0], _separator(request))
    return rows, {"cells_guarded": guarded}


def write_csv(path: Path, rows: pl.DataFrame, _request: ExportRequest) -> None:
    """Write CSV as the office publishes it: see :func:`~ratinglist.store.table_files.csv_text`."""
    table_files.write_csv(path, rows)


def write_office_csv(path: Path, rows: pl.DataFrame, request: ExportRequest) -> None:
    """Write CSV with lines ended by CR and LF, quoted only where RFC 4180 requires it.

    For spreadsheets it begins with a byte order mark, without which Excel takes UTF-8 for the machine's old character
    set.
    """
    rows.with_columns(pl.col(pl.String).replace("", None)).write_csv(
        path,
        include_bom=request.format == "csv-spreadsheet",
        line_terminator="\r\n",
        separator=_separator(request),
        null_value="",
    )


def _separator(request: ExportRequest) -> str:
    return ";" if request.semicolons or request.format == "vega-csv" else ","


def write_parquet(path: Path, rows: pl.DataFrame, _request: ExportRequest) -> None:
    """Write the rows with the plain types of the published lists."""
    # Some systems have no K, and members of a club may have no rating.
    columns = {name: LISTED.columns[name] for name in rows.columns}
    lacking = {name: replace(column, null=True) for name, column in columns.items() if rows[name].null_count()}
    table_files.write_parquet(path, replace(LISTED, columns=columns | lacking), rows)


def write_sqlite(path: Path, rows: pl.DataFrame, request: ExportRequest) -> None:
    """Write the rows to a new database, a row per player and time control.

    The table ``rating_list`` has the published columns in their order: whole numbers as INTEGER, all else as TEXT; what
    is not known is NULL. Its key is the FIDE ID and the time control; name, federation and rating have an index. The
    period stands in ``user_version``, as 202512.
    """
    types = {name: "INTEGER" if dtype.is_integer() else "TEXT" for name, dtype in rows.schema.items()}
    columns = [f"{name} {of_type}" for name, of_type in types.items()]
    # Every name is one of our own columns.
    table = f"create table {_SQL_TABLE} ({', '.join(columns)}, primary key (fide_id, time_control)) without rowid"
    row = f"insert into {_SQL_TABLE} values ({', '.join('?' * len(types))})"  # noqa: S608 - as above
    indexes = [f"create index {_SQL_TABLE}_{name} on {_SQL_TABLE} ({name})" for name in _INDEXED if name in types]
    period = f"pragma user_version = {request.period.first_day:%Y%m}"
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        # The file is new and is renamed when it is whole: a journal would guard nothing.
        for statement in ("pragma journal_mode = off", period, "begin", table):
            database.execute(statement)
        for part in rows.iter_slices(_ROWS_AT_ONCE):
            database.executemany(row, part.with_columns(pl.col(pl.Date).cast(pl.String)).rows())
        for statement in (*indexes, "commit"):
            database.execute(statement)


def write_workbook(path: Path, rows: pl.DataFrame, request: ExportRequest) -> None:
    """Write the list of each time control to a sheet of its own, every text as a text.

    Raises :class:`ExportError` if a list has more rows than fit.
    """
    # Here, because no other format needs it.
    import xlsxwriter

    # A name is a text: nothing in it is a formula, a link or a number.
    literally = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(path, literally) as workbook:
        workbook.set_properties(
            {
                "title": f"Rating list of {request.period}",
                "created": datetime.combine(request.period.first_day, time()),
            }
        )
        heading = workbook.add_format({"bold": True})
        for (time_control,), of_list in rows.partition_by("time_control", maintain_order=True, as_dict=True).items():
            if of_list.height > MOST_ROWS:
                raise ExportError(
                    f"Nothing was exported: the {time_control} list has {of_list.height:,} players, and a sheet has "
                    f"room for {MOST_ROWS:,}. Add --federation or --top, or export as csv-spreadsheet."
                )
            listed = of_list.drop("time_control", "list_month", strict=False)
            sheet = workbook.add_worksheet(f"{time_control} {request.period}")
            sheet.freeze_panes(1, 2)
            sheet.write_row(0, 0, listed.columns, heading)
            sheet.autofilter(0, 0, listed.height, listed.width - 1)
            for number, name in enumerate(listed.columns):
                sheet.write_column(1, number, listed[name].to_list())
            sheet.autofit()


# ---------------------------------------------------------------------------------- lists for pairing programs


def swiss_manager_rows(published: PublishedLists, request: ExportRequest) -> Prepared:
    """Return the rows of :func:`swiss_manager`, in the order of the list, with the counts of changed letters."""
    players, letters = to_ascii(pl.concat(published.selected.values()))
    club = to_ascii(pl.DataFrame({"name": [request.club or ""]}))[0].item()
    return players.select(swiss_manager(of_fide=published.family == FIDE_FAMILY, club=club)), letters


def vega_rows(published: PublishedLists, _request: ExportRequest) -> Prepared:
    """Return the rows of :func:`vega`, in the order of the list, with the counts of changed letters and cut names."""
    players, letters = to_ascii(pl.concat(published.selected.values()))
    cut = int(players.select((_vega_name().str.len_chars() > VEGA_NAME).sum()).item())
    return players.select(vega(of_fide=published.family == FIDE_FAMILY)), {**letters, "texts_cut": cut}


def swiss_manager(*, of_fide: bool, club: str = "") -> list[pl.Expr]:
    """Return the columns of Swiss-Manager's national list, over rows of ``LISTED`` in ASCII.

    ``ID_No`` and ``Fide_No`` are the FIDE ID, ``Sex`` is ``f`` or blank, ``Birthday`` a year, 0 no rating; ``club`` is
    that of all players, blank where it is not known.
    """
    ours, none = pl.col("rating").fill_null(0), pl.lit(0, dtype=pl.Int32)
    return [
        pl.col("fide_id").alias("ID_No"),
        _name().alias("Name"),
        pl.when(pl.col("sex") == "F").then(pl.lit("f")).otherwise(pl.lit("")).alias("Sex"),
        pl.col("federation").alias("Fed"),
        pl.lit("").alias("Clubnumber"),
        pl.lit(club).alias("ClubName"),
        pl.col("birth_year").alias("Birthday"),
        ours.alias("Rtg_Nat"),
        pl.col("fide_id").alias("Fide_No"),
        (ours if of_fide else none).alias("Rtg_Int"),
    ]


def vega(*, of_fide: bool) -> list[pl.Expr]:
    """Return the columns of Vega's archive, over rows of ``LISTED`` in ASCII; a name that is too long is cut.

    ``BIRTHDAY`` is ``ddmmyyyy`` with an unknown day: ``00001987``. The year has four digits, because with two the year
    2000 would read as unknown. A separator inside a text becomes a blank.
    """
    ours, none = pl.col("rating").fill_null(0), pl.lit(0, dtype=pl.Int32)
    return [
        _vega_name().str.head(VEGA_NAME).str.strip_chars_end().alias("NAME"),
        pl.col("federation").str.replace_all(";", " ", literal=True).alias("COUNTRY"),
        pl.col("birth_year").fill_null(0).cast(pl.String).str.zfill(8).alias("BIRTHDAY"),
        pl.col("sex").str.to_lowercase().alias("GENDER"),
        pl.when(pl.col("title") == "").then("women_title").otherwise("title").alias("TITLE"),
        pl.col("fide_id").alias("IDFIDE"),
        (ours if of_fide else none).alias("ELOFIDE"),
        pl.lit(0, dtype=pl.Int32).alias("IDNAT"),
        (none if of_fide else ours).alias("ELONAT"),
        pl.col("k").alias("KCOEFF"),
    ]


def _vega_name() -> pl.Expr:
    return _name().str.replace_all(";", " ", literal=True).str.strip_chars()


def _name() -> pl.Expr:
    """``Surname, Given`` without commas and double blanks."""
    return pl.col("name").str.replace_all(r"[,\s]+", " ").str.strip_chars()


# ------------------------------------------------------------------------------------------ the table of formats


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
        swiss_manager_rows,
        write_office_csv,
        single_list_name="smanager",
    ),
    "vega-csv": ListFormat(
        "player archive for Vega, one time control, separated by semicolons; ASCII, lines ended by CR LF",
        ".csv",
        vega_rows,
        write_office_csv,
        single_list_name="vega",
    ),
    "csv": ListFormat(
        "every published column, for programs; UTF-8, lines ended by LF, exactly as published",
        ".csv",
        published_rows,
        write_csv,
    ),
    "csv-spreadsheet": ListFormat(
        "the same with nothing a spreadsheet would calculate; UTF-8 with a byte order mark, lines ended by CR LF",
        ".csv",
        guarded_rows,
        write_office_csv,
        name_suffix="_spreadsheet",
    ),
    "parquet": ListFormat(
        "the same as Parquet",
        ".parquet",
        published_rows,
        write_parquet,
    ),
    "xlsx": ListFormat(
        "workbook, a sheet for each time control, every text a text",
        ".xlsx",
        published_rows,
        write_workbook,
    ),
    "sqlite": ListFormat(
        "the same as a database of SQLite: a table with indexes on name, federation and rating",
        ".sqlite",
        published_rows,
        write_sqlite,
    ),
}
"""Every format by its name on the command line.

No format may carry more than what a published list shows of a player; of the birth date that is the year. A test
searches every exported file for birth dates.
"""

_CLUB_LENGTH = 40


def check_options(request: ExportRequest) -> None:
    """Raise :class:`CommandLineError` if options contradict each other."""
    of_fide = tuple(name for name, each in FORMATS.items() if each.fide_name)
    options = {
        "--names": (request.original_names, ("fide-xml",)),
        "--separator": (request.semicolons, ("csv-spreadsheet",)),
        "--legacy": (request.legacy, of_fide),
        "--zip": (request.zipped, of_fide),
    }
    for option, (is_given, formats) in options.items():
        if is_given and request.format not in formats:
            raise CommandLineError(f"{option} is for {' and '.join(formats)}: leave it out.")
    if request.club is not None and request.top is not None:
        raise CommandLineError("--top does not go with --club, which takes every member: leave it out.")


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
