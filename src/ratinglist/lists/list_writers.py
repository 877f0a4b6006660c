"""Write published lists for other programs: CSV, Parquet, a workbook, a database, lists for pairing programs.

The lists for pairing programs, the national list of Swiss-Manager and the player archive of Vega, hold one time control
and two ratings, an international and a national one. Our rating is the international one if it was calculated by the
rule family ``fide``, else the national one; the other is 0, because it is unknown. Programs that read Swiss-Manager's
list take the rating from ``Rtg_Nat``, so it holds our rating in any case, unless the request is for national ratings
only. Names are written as in these programs' own files, ``Surname Given`` in ASCII: neither program documents another
encoding.

The same rows always give the same bytes.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import datetime, time
from pathlib import Path

import polars as pl

from ratinglist.errors import ExportError
from ratinglist.lists.selection import ExportRequest, Prepared, PublishedLists
from ratinglist.names.folding import to_ascii
from ratinglist.store import table_files
from ratinglist.tables import LISTED, SYSTEM_LISTED

FIDE_FAMILY = "fide"
VEGA_NAME = 30
"""Letters of a name in Vega's archive."""
SHEET_COLUMNS = tuple(name for name in LISTED.columns if name not in ("list_month", "time_control"))
MOST_ROWS = 1_048_575
"""Rows of a sheet without its headings."""
_WIDTHS = {"fide_id": 12, "name": 32, "other_titles": 14}
_OTHER_WIDTH = 10
_SQL_TABLE = "rating_list"
_SQL_KEY = ("fide_id", "time_control")
_INDEXED = ("name", "federation", "rating")
_ROWS_AT_ONCE = 50_000

# -------------------------------------------------------------------------------------------- the published columns


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
    # Some systems have no K.
    table = SYSTEM_LISTED if "k" in rows.columns and rows["k"].null_count() else LISTED
    columns = {name: table.columns[name] for name in rows.columns}
    if rows["rating"].null_count():  # of a club, members without a rating
        columns["rating"] = replace(columns["rating"], null=True)
    table_files.write_parquet(path, replace(LISTED, columns=columns), rows)


def write_sqlite(path: Path, rows: pl.DataFrame, request: ExportRequest) -> None:
    """Write the rows to a new database, a row per player and time control.

    The table ``rating_list`` has the published columns in their order: whole numbers as INTEGER, all else as TEXT; what
    is not known is NULL. Its key is the FIDE ID and the time control; name, federation and rating have an index. The
    period stands in ``user_version``, as 202512.
    """
    types = {name: "INTEGER" if dtype.is_integer() else "TEXT" for name, dtype in rows.schema.items()}
    key = [name for name in _SQL_KEY if name in types]
    columns = [f"{name} {of_type}" for name, of_type in types.items()]
    # Every name is one of our own columns.
    table = f"create table {_SQL_TABLE} ({', '.join(columns)}, primary key ({', '.join(key)})) without rowid"
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


def sheet_rows(published: PublishedLists, _request: ExportRequest) -> Prepared:
    """Return the selected rows of all lists, with ``time_control`` and the published ones of :data:`SHEET_COLUMNS`.

    Raises :class:`ExportError` if a list has more rows than fit.
    """
    for name, rows in published.selected.items():
        if rows.height > MOST_ROWS:
            raise ExportError(
                f"Nothing was exported: the {name} list has {rows.height:,} players, and a sheet has room for "
                f"{MOST_ROWS:,}. Add --federation or --top, or export as csv-spreadsheet."
            )
    columns = [name for name in SHEET_COLUMNS if name in published.carried]
    sheets = [rows.select(pl.lit(name).alias("time_control"), *columns) for name, rows in published.selected.items()]
    return pl.concat(sheets), {}


def write_workbook(path: Path, rows: pl.DataFrame, request: ExportRequest) -> None:
    """Write the list of each time control to a sheet of its own, every text as a text."""
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
            listed = of_list.drop("time_control")
            sheet = workbook.add_worksheet(f"{time_control} {request.period}")
            sheet.freeze_panes(1, 2)
            sheet.write_row(0, 0, listed.columns, heading)
            sheet.autofilter(0, 0, listed.height, listed.width - 1)
            for number, name in enumerate(listed.columns):
                sheet.set_column(number, number, _WIDTHS.get(name, _OTHER_WIDTH))
                sheet.write_column(1, number, listed[name].to_list())


# ---------------------------------------------------------------------------------- lists for pairing programs


def swiss_manager_rows(published: PublishedLists, request: ExportRequest) -> Prepared:
    """Return the rows of :func:`swiss_manager`, in the order of the list, with the counts of changed letters."""
    players, letters = to_ascii(pl.concat(published.selected.values()))
    club = to_ascii(pl.DataFrame({"name": [request.club or ""]}))[0].item()
    columns = swiss_manager(of_fide=published.family == FIDE_FAMILY, national_only=request.national_only, club=club)
    return players.select(columns), letters


def vega_rows(published: PublishedLists, _request: ExportRequest) -> Prepared:
    """Return the rows of :func:`vega`, in the order of the list, with the counts of changed letters and cut names."""
    players, letters = to_ascii(pl.concat(published.selected.values()))
    cut = int(players.select((_vega_name().str.len_chars() > VEGA_NAME).sum()).item())
    return players.select(vega(of_fide=published.family == FIDE_FAMILY)), {**letters, "texts_cut": cut}


def swiss_manager(*, of_fide: bool, national_only: bool, club: str = "") -> list[pl.Expr]:
    """Return the columns of Swiss-Manager's national list, over rows of ``LISTED`` in ASCII.

    ``national_only``: ``Rtg_Nat`` is 0 where the rating is an international one. ``ID_No`` and
    ``Fide_No`` are the FIDE ID, ``Sex`` is ``f`` or blank, ``Birthday`` a year, 0 no rating; ``club`` is that of
    all players, blank where it is not known.
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
        (none if of_fide and national_only else ours).alias("Rtg_Nat"),
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
