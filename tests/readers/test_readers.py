"""Programs of others read what we write: every row, every field."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from ratinglist.lists.formats import FORMATS
from tests.readers import lists, readers
from tests.readers.readers import READERS, Row

Lists = dict[str, list[dict[str, object]]]


def _of_pairing(rows: Lists, columns: dict[str, str]) -> list[Row]:
    """The columns that a pairing program has of the standard list: each by its name here."""
    listed = readers.of_tables({"standard": rows["standard"]})
    return [{name: row[column] for name, column in columns.items()} for row in listed]


OF_SWISS_MANAGER = {"fide_id": "fide_id", "Rtg_Nat": "rating", "Rtg_Int": "rating", "Fed": "federation"}
OF_VEGA = {name: name for name in ("fide_id", "rating", "k", "federation")}
XML = ["Ruby, SAX (REXML)", "PHP, SAX", "fast-xml-parser"]
PARQUET = ["DuckDB 0.9", "DuckDB 1.0", "Polars 0.20", "pyarrow 14", "hyparquet"]
TEXT = ["Perl, unpack", "pandas 2.1, read_fwf"]
CSV = ["DuckDB 0.9, read_csv", "sqlite3, .import"]
SHEETS = ["LibreOffice", "Gnumeric", "SheetJS", "openpyxl"]
XLSX_DROPPED = ("list_month", "time_control")


def _sheets_of(rows: Lists) -> list[Row]:
    return [{name: cell for name, cell in row.items() if name not in XLSX_DROPPED} for row in readers.of_tables(rows)]


EXPORTS: dict[str, tuple[dict[str, object], list[str], Callable[[Lists], list[Row]], dict[str, str]]] = {
    "fide-txt": (
        {},
        [*TEXT, "Java, substring", "Go, slices", "R, read.fwf"],
        partial(readers.of_fide, unknown_year="0", name_length=60),
        readers.FIDE_NAMES,
    ),
    "fide-xml": ({}, XML, partial(readers.of_fide, unknown_year="", name_length=None), readers.FIDE_NAMES),
    "csv": ({}, ["PapaParse", "pandas 2.1, read_csv", *CSV], readers.of_tables, {}),
    "csv-spreadsheet": ({}, ["LibreOffice", "PapaParse", "SheetJS", *CSV[:1]], readers.of_tables, {}),
    "csv-spreadsheet, semicolons": (
        {"semicolons": True},
        ["LibreOffice", "PapaParse", "pandas 2.1, read_csv", *CSV[:1]],
        readers.of_tables,
        {},
    ),
    "xlsx": ({}, SHEETS, _sheets_of, {}),
    "swiss-manager-csv": (
        {},
        ["PapaParse", "pandas 2.1, read_csv", *CSV],
        partial(_of_pairing, columns=OF_SWISS_MANAGER),
        {"Fide_No": "fide_id"},
    ),
    "vega-csv": (
        {},
        ["PapaParse", "pandas 2.1, read_csv", *CSV],
        partial(_of_pairing, columns=OF_VEGA),
        {"IDFIDE": "fide_id", "ELOFIDE": "rating", "KCOEFF": "k", "COUNTRY": "federation"},
    ),
    "parquet": ({}, PARQUET, readers.of_tables, {}),
    "sqlite": ({}, ["sqlite3", "sql.js", "pandas 2.1, read_sql"], readers.of_tables, {}),
}
"""Each export: its options, its readers, the rows that have to be read, and the columns that are named otherwise."""


@pytest.fixture(scope="module")
def rows() -> Lists:
    return lists.lists()


@pytest.fixture(scope="module")
def office(rows: Lists, tmp_path_factory: pytest.TempPathFactory):
    return lists.office_of(tmp_path_factory.mktemp("readers"), rows)


CASES = [(export, reader) for export, (_, names, *_rest) in EXPORTS.items() for reader in names]


@pytest.mark.long
@pytest.mark.parametrize(("export", "reader"), CASES, ids=[": ".join(case) for case in CASES])
def test_a_program_of_others_reads_every_field(office, rows, tmp_path, export, reader):
    if absent := readers.missing(READERS[reader]):
        pytest.skip(absent)
    options, _, expected, names = EXPORTS[export]
    file = lists.exported(office, tmp_path, export.partition(",")[0], **options)
    assert readers.wrong(READERS[reader], file, expected(rows), names)[:5] == []


def test_every_reader_reads_something():
    of_reports = {"gacrux", "caissify-pairings"}
    assert {reader for _, reader in CASES} == set(READERS) - of_reports


def test_every_export_is_read_by_three_programs_of_others():
    assert {name.partition(",")[0] for name in EXPORTS} == set(FORMATS)
    assert {name: len(names) for name, (_, names, *_rest) in EXPORTS.items() if len(names) < 3} == {}
