"""Lists as files for other programs: the table of export formats, the rows and the writer of each, and file names.

To add a format, write its rows and its writer and add its entry to :data:`FORMATS`. The command line, the names of
files and the reference pages follow from the table. The same rows always give the same bytes.

FIDE's text: the header line and the player lines follow from the columns as :mod:`~ratinglist.tables` declares them.
Every column but the other titles ends with a blank. A text longer than its column is cut and counted, because it would
shift all figures after it, as FIDE's own lists sometimes do. A number is never cut. An absent rating, number of games
or K is ``0``, as in FIDE's lists since 2024: readers that convert these columns to numbers stop at a blank.

FIDE's XML: the elements are in FIDE's order, because some readers count them. There is no declaration and no byte order
mark. Names are in ASCII unless the request is for the original ones, which are UTF-8 then: a SAX parser reports a text
with other letters in several pieces, and readers in use keep only the last piece.

The lists for pairing programs, the national list of Swiss-Manager and the player archive of Vega, hold one time control
and two ratings, an international and a national one. Our rating is the international one if it was calculated by the
rule family ``fide``, else the national one; the other is 0, because it is unknown. Programs that read Swiss-Manager's
list take the rating from ``Rtg_Nat``, so it holds our rating in any case. Names are written as in these programs' own
files, ``Surname Given`` in ASCII: neither program documents another encoding.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime, time
from pathlib import Path

import polars as pl

from ratinglist.errors import CommandLineError, ExportError
from ratinglist.lists.official_rows import fide_columns
from ratinglist.names.alike import to_ascii
from ratinglist.period import Period
from ratinglist.store import table_files
from ratinglist.tables import FIDE_COLUMNS, FIGURES, LISTED, LISTS, PLAYER_TEXTS, FideColumn

FIDE_FAMILY = "fide"
VEGA_NAME = 30
"""Letters of a name in Vega's archive."""
MOST_ROWS = 1_048_575
"""Rows of a sheet without its headings."""
_SQL_TABLE = "rating_list"
_INDEXED = ("name", "federation", "rating")
_ROWS_AT_ONCE = 50_000


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """The arguments of one export.

    ``period`` and ``revision`` (such as ``r2``, None: the current one) name what is exported; ``format`` is a key of
    :data:`~ratinglist.lists.formats.FORMATS`. ``federation`` and ``time_control`` select a part of it.
    ``zipped``: as the one file of a zip.

    ``original_names``: FIDE's XML with all letters of names, in UTF-8. ``semicolons``: the table for spreadsheets
    separated by semicolons.
    """

    period: Period
    format: str
    federation: str | None = None
    time_control: str | None = None
    revision: str | None = None
    zipped: bool = False
    original_names: bool = False
    semicolons: bool = False


@dataclass(frozen=True, slots=True)
class PublishedLists:
    """The lists of one revision that a request selects.

    ``lists``: frames of ``LISTED`` by time control, in their published order. ``carried``: the columns that the office
    publishes, in order; the others are blank, or null if they are numbers. ``family``: the rule family in the manifest.
    """

    lists: Mapping[str, pl.DataFrame]
    carried: tuple[str, ...]
    family: str


Prepared = tuple[pl.DataFrame, dict[str, int]]
"""Checked rows that can be written without failing on a value, and the counts of what the format could not keep.

The summary in ``workflows/for_readers`` has a text for each kind of count.
"""

_PERSON = tuple(name for name in FIDE_COLUMNS if name not in FIGURES)


def combine_lists(lists: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Return one row per player of any list, with the figures of every list.

    In: by time control, frames of ``LISTED``. Out: the player's columns (of the first list they are on, in the order
    standard, rapid, blitz), ``birth_year``, ``flag``, and for each time control ``rapid_rating``, ``rapid_games``,
    ``rapid_k``: null if the player has no rating there. ``flag`` is that of the standard list, as in FIDE's combined
    list; for a player who is not on it, that of the rapid or else of the blitz list. Rows are in no order.
    """
    every = [lists[name].select(_PERSON) for name in LISTS if name in lists]
    persons = pl.concat(every).unique("fide_id", keep="first")
    for name in LISTS:
        figures = {figure: f"{name}_{figure}" for figure in FIGURES}
        of_list = lists.get(name, LISTED.empty()).select("fide_id", *figures, pl.col("flag").alias(f"{name}_flag"))
        persons = persons.join(of_list.rename(figures), on="fide_id", how="left")
    flags = [f"{name}_flag" for name in LISTS]
    return persons.with_columns(flag=pl.coalesce(flags)).drop(flags)


def with_both_titles(players: pl.DataFrame) -> pl.DataFrame:
    """Return ``players`` with a woman's only title in ``title`` and in ``women_title``, as FIDE's lists have it.

    A player with another title keeps both: ``IM`` and ``WGM``.
    """
    only = pl.col("title").str.starts_with("W") & (pl.col("women_title") == "")
    return players.with_columns(
        pl.when(pl.col("title") == "").then("women_title").otherwise("title").alias("title"),
        pl.when(only).then("title").otherwise("women_title").alias("women_title"),
    )


# ---------------------------------------------------------------------------------------------- FIDE's own formats

LINE_END = "\r\n"
_WRITTEN_ROWS = 131_072
"""Rows formatted at once, so that memory does not grow with the list."""
_ESCAPED = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"}
"""What XML writes for a character; a bare CR would be read as LF."""

_FILLED = "other_titles"
"""The column that a text may fill up to its last character, as in FIDE's lists."""


def layout(request: ExportRequest) -> dict[str, FideColumn]:
    """Return the columns of the requested list: combined, or of one time control, headed by its month."""
    return fide_columns(request.period if request.time_control else None)


def header(columns: dict[str, FideColumn]) -> str:
    """Return the header line without its line end."""
    return "".join(column.heading.ljust(column.width) for column in columns.values()).rstrip()


def text_rows(published: PublishedLists, request: ExportRequest) -> Prepared:
    """Return the players in ASCII, by name, with values that fit their columns, and the counts of what was lost.

    Raises :class:`ExportError` if a number is too long for its column.
    """
    players, letters = xml_rows(published, request)
    fitted, cut = fit(players, layout(request))
    return fitted, {**letters, "texts_cut": cut}


def write_text(path: Path, players: pl.DataFrame, request: ExportRequest) -> None:
    """Write the header line and a line for each player."""
    columns = layout(request)
    _write(path, header(columns), players, line(columns))


def line(columns: dict[str, FideColumn]) -> pl.Expr:
    """Return the line of a player without its end, over rows of :func:`fit`. A number that is null is 0."""
    return pl.concat_str(_padded(name, column.width) for name, column in columns.items())


def fit(players: pl.DataFrame, columns: dict[str, FideColumn]) -> tuple[pl.DataFrame, int]:
    """Return ``players`` with values that fit their columns, and the number of cut texts.

    ``players``: what ``columns`` name, text in ASCII. Other titles are cut at a comma, so that no title is cut in half;
    an unknown year of birth becomes 0. Raises :class:`ExportError` if a number is too long for its column.
    """
    cut = 0
    for name, column in columns.items():
        most = column.width - (name != _FILLED)
        if players.schema[name] != pl.String:
            too_long = players[name] >= 10**most
            if too_long.any():
                raise _too_long(players.filter(too_long), name, column)
            continue
        too_long = players[name].str.len_bytes() > most
        cut += int(too_long.sum())
        short = pl.col(name).str.head(most)
        if name == _FILLED:
            short = pl.col(name).str.extract(rf"^(.{{0,{most}}})(?:,|$)").fill_null("")
        players = players.with_columns(pl.when(too_long).then(short).otherwise(name).alias(name))
    return players.with_columns(pl.col("birth_year").fill_null(0)), cut


def _padded(name: str, width: int) -> pl.Expr:
    """Return the text of a column, as wide as the column. A year has four digits, an unknown one too."""
    text = pl.col(name).cast(pl.String).fill_null("0")
    return (text.str.zfill(4) if name == "birth_year" else text).str.pad_end(width)


def _too_long(players: pl.DataFrame, name: str, column: FideColumn) -> ExportError:
    first = players.sort("fide_id").row(0, named=True)
    return ExportError(
        f"Nothing was exported: {name} of player {first['fide_id']} ({first['name']}) is "
        f"{first[name]}, and the column {column.heading} of FIDE's text has room for {column.width - 1} "
        "characters. Correct the value and publish again, or export as csv."
    )


def xml_rows(published: PublishedLists, request: ExportRequest) -> Prepared:
    """Return the players by name, and the counts of changed letters; with the original names there are none."""
    players = published.lists[request.time_control] if request.time_control else combine_lists(published.lists)
    # The arena titles are not known.
    players = with_both_titles(players).with_columns(foa_title=pl.lit(""))
    listed, letters = (players, {}) if request.original_names else to_ascii(players)
    return listed.sort("name", "fide_id"), letters


def write_xml(path: Path, players: pl.DataFrame, request: ExportRequest) -> None:
    """Write ``<playerslist>`` with a ``<player>`` for each player, a line for each element.

    No player is registered with a control character, which XML cannot hold. An absent rating, number of games or K is
    0, as in FIDE's lists; an unknown year of birth is empty.
    """
    parts = [pl.lit("<player>")]
    for name, column in layout(request).items():
        parts.append(pl.format(f"{LINE_END}<{column.element}>{{}}</{column.element}>", _xml_text(name)))
    player = pl.concat_str([*parts, pl.lit(f"{LINE_END}</player>")])
    _write(path, "<playerslist>", players, player, "</playerslist>")


def _xml_text(column: str) -> pl.Expr:
    if column in (*PLAYER_TEXTS, "foa_title"):
        return pl.col(column).str.replace_many(list(_ESCAPED), list(_ESCAPED.values()))
    return pl.col(column).cast(pl.String).fill_null("0" if column.endswith(FIGURES) else "")


def _write(path: Path, first: str, players: pl.DataFrame, line: pl.Expr, last: str = "") -> None:
    """Write the line ``first``, the text ``line`` of each of ``players``, unquoted, and the line ``last``, if any."""
    with path.open("wb") as stream:
        stream.write(f"{first}{LINE_END}".encode())
        for part in players.iter_slices(_WRITTEN_ROWS):
            part.select(line).write_csv(stream, include_header=False, quote_style="never", line_terminator=LINE_END)
        stream.write(f"{last}{LINE_END}".encode() if last else b"")


# ------------------------------------------------------------------------------------------ the published columns


def published_rows(published: PublishedLists, _request: ExportRequest) -> Prepared:
    """Return all lists in one frame, with the columns that the office publishes."""
    return pl.concat(published.lists.values()).select(published.carried), {}


def guarded_rows(published: PublishedLists, request: ExportRequest) -> Prepared:
    """Return the published rows with texts that no spreadsheet calculates; ``cells_guarded`` counts the changed."""
    listed, guarded = table_files.guard_formulas(published_rows(published, request)[0], _separator(request))
    return listed, {"cells_guarded": guarded}


def write_csv(path: Path, listed: pl.DataFrame, _request: ExportRequest) -> None:
    """Write CSV as the office publishes it: see :func:`~ratinglist.store.table_files.csv_text`."""
    table_files.write_csv(path, listed)


def write_office_csv(path: Path, listed: pl.DataFrame, request: ExportRequest) -> None:
    """Write CSV with lines ended by CR and LF, quoted only where RFC 4180 requires it.

    For spreadsheets it begins with a byte order mark, without which Excel takes UTF-8 for the machine's old character
    set.
    """
    listed.with_columns(pl.col(pl.String).replace("", None)).write_csv(
        path,
        include_bom=request.format == "csv-spreadsheet",
        line_terminator="\r\n",
        separator=_separator(request),
        null_value="",
    )


def _separator(request: ExportRequest) -> str:
    return ";" if request.semicolons or request.format == "vega-csv" else ","


def write_parquet(path: Path, listed: pl.DataFrame, _request: ExportRequest) -> None:
    """Write the rows with the plain types of the published lists."""
    # Some systems have no K.
    columns = {name: LISTED.columns[name] for name in listed.columns}
    lacking = {name: replace(column, null=True) for name, column in columns.items() if listed[name].null_count()}
    table_files.write_parquet(path, replace(LISTED, columns=columns | lacking), listed)


def write_sqlite(path: Path, listed: pl.DataFrame, request: ExportRequest) -> None:
    """Write the rows to a new database, a row per player and time control.

    The table ``rating_list`` has the published columns in their order: whole numbers as INTEGER, all else as TEXT; what
    is not known is NULL. Its key is the FIDE ID and the time control; name, federation and rating have an index. The
    period stands in ``user_version``, as 202512.
    """
    types = {name: "INTEGER" if dtype.is_integer() else "TEXT" for name, dtype in listed.schema.items()}
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
        for part in listed.iter_slices(_ROWS_AT_ONCE):
            database.executemany(row, part.with_columns(pl.col(pl.Date).cast(pl.String)).rows())
        for statement in (*indexes, "commit"):
            database.execute(statement)


def write_workbook(path: Path, lists: pl.DataFrame, request: ExportRequest) -> None:
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
        for (time_control,), of_list in lists.partition_by("time_control", maintain_order=True, as_dict=True).items():
            if of_list.height > MOST_ROWS:
                raise ExportError(
                    f"Nothing was exported: the {time_control} list has {of_list.height:,} players, and a sheet has "
                    f"room for {MOST_ROWS:,}. Add --federation, or export as csv-spreadsheet."
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


def swiss_manager_rows(published: PublishedLists, _request: ExportRequest) -> Prepared:
    """Return the rows of :func:`swiss_manager`, in the order of the list, with the counts of changed letters."""
    players, letters = to_ascii(pl.concat(published.lists.values()))
    return players.select(swiss_manager(of_fide=published.family == FIDE_FAMILY)), letters


def vega_rows(published: PublishedLists, _request: ExportRequest) -> Prepared:
    """Return the rows of :func:`vega`, in the order of the list, with the counts of changed letters and cut names."""
    players, letters = to_ascii(pl.concat(published.lists.values()))
    cut = int(players.select((_vega_name().str.len_chars() > VEGA_NAME).sum()).item())
    return players.select(vega(of_fide=published.family == FIDE_FAMILY)), {**letters, "texts_cut": cut}


def swiss_manager(*, of_fide: bool) -> list[pl.Expr]:
    """Return the columns of Swiss-Manager's national list, over rows of ``LISTED`` in ASCII.

    ``ID_No`` and ``Fide_No`` are the FIDE ID, ``Sex`` is ``f`` or blank, ``Birthday`` a year, 0 no rating; clubs
    are in no published list.
    """
    ours, none = pl.col("rating").fill_null(0), pl.lit(0, dtype=pl.Int32)
    return [
        pl.col("fide_id").alias("ID_No"),
        _name().alias("Name"),
        pl.when(pl.col("sex") == "F").then(pl.lit("f")).otherwise(pl.lit("")).alias("Sex"),
        pl.col("federation").alias("Fed"),
        pl.lit("").alias("Clubnumber"),
        pl.lit("").alias("ClubName"),
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

    ``fide_name``: FIDE's name of a combined list, for FIDE's own formats, which the site has in a zip.
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
        text_rows,
        write_text,
        fide_name="players_list_foa",
    ),
    "fide-xml": ListFormat(
        "FIDE's XML list: all time controls in a player, or one; ASCII, lines ended by CR LF, by name",
        ".xml",
        xml_rows,
        write_xml,
        fide_name="players_list_xml_foa",
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


def check_options(request: ExportRequest) -> None:
    """Raise :class:`CommandLineError` if options contradict each other."""
    options = {
        "--names": (request.original_names, ("fide-xml",)),
        "--separator": (request.semicolons, ("csv-spreadsheet",)),
    }
    for option, (is_given, formats) in options.items():
        if is_given and request.format not in formats:
            raise CommandLineError(f"{option} is for {' and '.join(formats)}: leave it out.")


def single_time_control(request: ExportRequest) -> str | None:
    """Return the time control of a file that holds one list; None if it holds all lists."""
    return request.time_control or ("standard" if FORMATS[request.format].single_list_name else None)


def file_name(request: ExportRequest) -> str:
    """Return the usual name of the file: FIDE's own name for FIDE's layouts. It names the selected part of a list.

    Around it, a zip has the same name with ``.zip`` behind it.
    """
    list_format = FORMATS[request.format]
    time_control = single_time_control(request)
    if list_format.fide_name:
        stem = f"{time_control}_rating_list" if time_control else list_format.fide_name
    elif list_format.single_list_name:
        stem = f"{list_format.single_list_name}_{time_control}_{request.period}"
    else:
        stem = f"{time_control or 'rating_list'}_{request.period}{list_format.name_suffix}"
    return (f"{stem}_{request.federation}" if request.federation else stem) + list_format.ending
