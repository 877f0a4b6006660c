"""Write the tables of a month as Parquet and CSV files, two tables at a time."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from ratinglist.durable_files import finish, sha256_of
from ratinglist.schemas import LISTS, Table
from ratinglist.store.month_tables import Rows, slices_of
from ratinglist.store.table_files import ROW_GROUP, CsvText, FileEntry, ParquetFile

Tables = Mapping[str, Rows]


def write_tables(folder: Path, tables: Tables, schemas: Mapping[str, Table]) -> dict[str, FileEntry]:
    """Write ``tables`` into ``folder`` and return what a manifest states of every file, by file name.

    In: rows by file stem, as :func:`~ratinglist.store.month_tables.checked` returns them; ``schemas``: the table that
    each file carries, which may lack columns that the rows have. A list is written as Parquet and CSV, any other table
    as Parquet. Every file is synced and read-only. Raises ``pyarrow.ArrowInvalid`` or ``ValueError`` where a value does
    not fit its column, :class:`~ratinglist.errors.CheckError` where a slice of encoded rows is out of order.
    """
    # The longest table first, so that little is left for the end.
    stems = sorted(tables, key=lambda stem: -tables[stem].height)
    with ThreadPoolExecutor(max_workers=2) as writers, ThreadPoolExecutor(max_workers=2) as texts:
        written = writers.map(lambda stem: _write(folder, stem, tables[stem], schemas[stem], texts), stems)
        return {name: entry for entries in written for name, entry in entries.items()}


def _write(folder: Path, stem: str, rows: Rows, table: Table, texts: Executor) -> dict[str, FileEntry]:
    """Write and sync one table.

    This thread writes the Parquet file. Of a list, a second one writes the same rows as CSV; the digest of that text is
    the logical digest of the list.
    """
    parquet, csv = folder / f"{stem}.parquet", folder / f"{stem}.csv"
    with ExitStack() as stack:
        file = stack.enter_context(ParquetFile(parquet, table))
        text = CsvText(list(table.columns), stack.enter_context(csv.open("wb"))) if stem in LISTS else None
        formatted: Future[None] | None = None
        for some in slices_of(rows, ROW_GROUP):
            carried = table.conform_encoded(some)
            if formatted is not None:
                formatted.result()
            formatted = texts.submit(text.write, carried) if text is not None else None
            file.write(carried)
        if formatted is not None:
            formatted.result()
    if text is None:
        return {parquet.name: file_entry(parquet, rows.height)}
    return {
        parquet.name: file_entry(parquet, rows.height, logical_sha256=text.sha256),
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
