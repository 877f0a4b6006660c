"""Write the tables of a month as Parquet and CSV files, two tables at a time; a long one in parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import polars as pl

from ratinglist.concurrency import call_all
from ratinglist.files.durable_files import finish, sha256_of, synced
from ratinglist.schemas import LISTS, Table
from ratinglist.store import table_parts
from ratinglist.store.month_tables import Rows, slices_of
from ratinglist.store.table_files import ROW_GROUP, CsvText, FileEntry, ParquetFile

Tables = Mapping[str, Rows]
Writer = Callable[[], Mapping[str, FileEntry]]
"""Writes files and returns what a manifest states of each, by its name."""


def write_tables(
    folder: Path, tables: Tables, schemas: Mapping[str, Table], rows_per_part: int = 0
) -> dict[str, FileEntry]:
    """Write ``tables`` into ``folder`` and return what a manifest states of every file, by file name.

    In: rows by file stem, as :func:`~ratinglist.store.month_tables.checked` returns them; ``schemas``: the table that
    each file carries, which may lack columns that the rows have; ``rows_per_part``: a table of more rows is written as
    Parquet files of so many rows (:mod:`~ratinglist.store.table_parts`), 0: every table is one file. A list is written
    as Parquet and as one CSV file, any other table as Parquet. Every file is synced and read-only. Raises
    ``pyarrow.ArrowInvalid`` or ``ValueError`` where a value does not fit its column,
    :class:`~ratinglist.errors.CheckError` where a slice of encoded rows is out of order, or there would be too many
    parts.
    """
    return write_all(table_writers(folder, tables, schemas, rows_per_part))


def table_writers(folder: Path, tables: Tables, schemas: Mapping[str, Table], rows_per_part: int = 0) -> list[Writer]:
    """Return a function for every table of :func:`write_tables`, that writes it and returns its part of the result.

    The longest table is the first, so that little is left for the end.
    """
    stems = sorted(tables, key=lambda stem: -tables[stem].height)
    return [partial(_write, folder, stem, tables[stem], schemas[stem], rows_per_part) for stem in stems]


def write_all(writers: Iterable[Writer]) -> dict[str, FileEntry]:
    """Call ``writers``, two at once, and return what a manifest states of all their files."""
    return {name: entry for entries in call_all(writers) for name, entry in entries.items()}


def _write(folder: Path, stem: str, rows: Rows, table: Table, rows_per_part: int) -> dict[str, FileEntry]:
    """Write and sync one table; of a list, the same rows as CSV too.

    The digest of that text is the logical digest of the list, whatever its parts are.
    """
    files = table_parts.files_for(stem, rows.height, rows_per_part)
    csv = folder / f"{stem}.csv"
    with ExitStack() as stack:
        parquet = stack.enter_context(_ParquetFiles(folder, list(files), table, rows_per_part))
        text = CsvText(list(table.columns), stack.enter_context(csv.open("wb"))) if stem in LISTS else None
        for some in slices_of(rows, ROW_GROUP):
            carried = table.conform_encoded(some)
            parquet.write(carried)
            if text is not None:
                text.write(carried)
    logical = "" if text is None else text.sha256
    entries = {name: file_entry(folder / name, height, logical_sha256=logical) for name, height in files.items()}
    if len(files) > 1:
        synced(folder / stem)
    return entries if text is None else {**entries, csv.name: file_entry(csv, rows.height, sha256=text.sha256)}


class _ParquetFiles:
    """The Parquet files of one table, of which one is open at a time; a context manager as :class:`ParquetFile` is.

    ``names``: below ``folder``, in the order of the rows; ``rows_per_part``: rows of each but the last, where there are
    several.
    """

    def __init__(self, folder: Path, names: list[str], table: Table, rows_per_part: int) -> None:
        self._folder, self._table = folder, table
        self._rows_per_part = rows_per_part if len(names) > 1 else 0
        self._remaining, self._written = iter(names), 0
        self._stack = ExitStack()

    def __enter__(self) -> _ParquetFiles:
        self._file = self._next()
        return self

    def __exit__(self, *raised: object) -> None:
        self._stack.close()

    def write(self, rows: pl.DataFrame) -> None:
        """Add ``rows``; those that are too many for the open file are written to the next ones."""
        for some in _cut(rows, self._written, self._rows_per_part):
            if self._rows_per_part and self._written and self._written % self._rows_per_part == 0:
                self._stack.close()
                self._file = self._next()
            self._file.write(some)
            self._written += some.height

    def _next(self) -> ParquetFile:
        path = self._folder / next(self._remaining)
        path.parent.mkdir(exist_ok=True)
        return self._stack.enter_context(ParquetFile(path, self._table))


def _cut(rows: pl.DataFrame, before: int, most: int) -> Iterator[pl.DataFrame]:
    """Yield ``rows``, cut where they and the ``before`` rows of earlier calls make a multiple of ``most``; 0: uncut."""
    if not most:
        yield rows
        return
    first = most - before % most
    yield rows.head(first)
    yield from rows.slice(first).iter_slices(most)


def write_text(path: Path, text: str) -> FileEntry:
    """Write a text file as UTF-8 with LF and return what a manifest states of it; its rows are its lines."""
    path.write_text(text, encoding="utf-8", newline="\n")
    return file_entry(path, text.count("\n"))


def file_entry(path: Path, rows: int, *, sha256: str = "", logical_sha256: str = "") -> FileEntry:
    """Sync a file, make it read-only and return what a manifest states of it; ``sha256`` where it is known already."""
    finish(path)
    entry: dict[str, str | int] = {"sha256": sha256 or sha256_of(path), "bytes": path.stat().st_size, "rows": rows}
    return {**entry, "logical_sha256": logical_sha256} if logical_sha256 else entry
