"""Write the tables of a month as Parquet and CSV files, two tables at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from ratinglist.concurrency import call_all
from ratinglist.files.durable_files import finish, sha256_of
from ratinglist.store.month_tables import Rows, slices_of
from ratinglist.store.table_files import ROW_GROUP, CsvText, FileEntry, ParquetFile, table_path
from ratinglist.tables import LISTS, Table

Tables = Mapping[str, Rows]
Writer = Callable[[], Mapping[str, FileEntry]]
"""Writes files and returns what a manifest states of each, by its name."""


def write_tables(folder: Path, tables: Tables, schemas: Mapping[str, Table]) -> dict[str, FileEntry]:
    """Write ``tables`` into ``folder`` and return what a manifest states of every file, by file name.

    In: rows by file stem, as :func:`~ratinglist.store.month_tables.checked` returns them; ``schemas``: the table that
    each file carries, which may lack columns that the rows have. A list is written as Parquet and as CSV, any other
    table as Parquet. Every file is synced and read-only. Raises ``pyarrow.ArrowInvalid`` or ``ValueError`` where a
    value does not fit its column, :class:`~ratinglist.errors.CheckError` where a slice of encoded rows is out of order.
    """
    return write_all(table_writers(folder, tables, schemas))


def table_writers(folder: Path, tables: Tables, schemas: Mapping[str, Table]) -> list[Writer]:
    """Return a function for every table of :func:`write_tables`, that writes it and returns its part of the result.

    The longest table is the first, so that little is left for the end.
    """
    stems = sorted(tables, key=lambda stem: -tables[stem].height)
    return [partial(_write, folder, stem, tables[stem], schemas[stem]) for stem in stems]


def write_all(writers: Iterable[Writer]) -> dict[str, FileEntry]:
    """Call ``writers``, two at once, and return what a manifest states of all their files."""
    return {name: entry for entries in call_all(writers) for name, entry in entries.items()}


def _write(folder: Path, stem: str, rows: Rows, table: Table) -> dict[str, FileEntry]:
    """Write and sync one table; of a list, the same rows as CSV too: its digest is the logical digest of the list."""
    path, csv = table_path(folder, stem), folder / f"{stem}.csv"
    with ExitStack() as stack:
        parquet = stack.enter_context(ParquetFile(path, table))
        text = CsvText(list(table.columns), stack.enter_context(csv.open("wb"))) if stem in LISTS else None
        for some in slices_of(rows, ROW_GROUP):
            carried = table.conform_encoded(some)
            parquet.write(carried)
            if text is not None:
                text.write(carried)
    if text is None:
        return {path.name: file_entry(path, rows.height)}
    return {
        path.name: file_entry(path, rows.height, logical_sha256=text.sha256),
        csv.name: file_entry(csv, rows.height, sha256=text.sha256),
    }


def write_text(path: Path, text: str) -> FileEntry:
    """Write a text file as UTF-8 with LF and return what a manifest states of it; its rows are its lines."""
    path.write_text(text, encoding="utf-8", newline="\n")
    return file_entry(path, text.count("\n"))


def file_entry(path: Path, rows: int, *, sha256: str = "", logical_sha256: str = "") -> FileEntry:
    """Sync a file, make it read-only and return what a manifest states of it; ``sha256`` where it is known already."""
    finish(path)
    entry: dict[str, str | int] = {"sha256": sha256 or sha256_of(path), "bytes": path.stat().st_size, "rows": rows}
    return {**entry, "logical_sha256": logical_sha256} if logical_sha256 else entry
