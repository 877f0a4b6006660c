"""The result of ``ratinglist sql`` as CSV, as JSON, or as a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite
from numbers import Real
from pathlib import Path

import polars as pl

from ratinglist.errors import CommandLineError
from ratinglist.lists.atomic_file import STDOUT, output_path, write_atomically
from ratinglist.store.table_files import csv_text
from ratinglist.summaries import Summary

ENDINGS = (".csv", ".json", ".parquet")


@dataclass(frozen=True, slots=True)
class WrittenResult(Summary):
    """A result that was written to a file."""

    file: str
    rows: int
    bytes: int
    sha256: str

    def text(self) -> str:
        """Return the summary in a line."""
        rows = "1 row" if self.rows == 1 else f"{self.rows:,} rows"
        return f"{self.file}: {rows}, {self.bytes:,} bytes"


@contextmanager
def showing() -> Iterator[None]:
    """Raise :class:`CommandLineError` for a value that only DuckDB has: a day in the year 99999."""
    try:
        yield
    except (ValueError, OverflowError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise CommandLineError(f"A value of the result cannot be shown, cast its column to text: {error}") from None


@showing()
def json_rows(rows: pl.DataFrame) -> list[dict[str, object]]:
    """Return rows for JSON, which has no infinity and no not-a-number: where a query computes one, it becomes null."""
    return [
        {name: None if isinstance(cell, Real) and not isfinite(cell) else cell for name, cell in row.items()}
        for row in rows.iter_rows(named=True)
    ]


@showing()
def as_csv(rows: pl.DataFrame) -> str:
    """Return rows as the published CSV has them; a list or a struct is its JSON."""
    nested = [name for name, kind in rows.schema.items() if kind.is_nested() or kind == pl.Object]
    return csv_text(rows.with_columns(pl.Series(name, [*map(_cell_text, rows[name])], pl.String) for name in nested))


def _cell_text(cell: object) -> str | None:
    value = cell.to_list() if isinstance(cell, pl.Series) else cell
    return None if value is None else json.dumps(value, ensure_ascii=False, default=str)


def check_file(out: Path, *, csv: bool, home: Path) -> Path:
    """Return the path of the file for a result, before the query runs.

    ``csv``: the file has to be CSV, with any ending. Raises :class:`CommandLineError` where its ending names no format,
    or it may not be written (:func:`~ratinglist.lists.atomic_file.output_path`).
    """
    if out == STDOUT or out.is_dir():
        raise CommandLineError(f"--out {out}: name a file; without --out the result is printed.")
    if not csv and out.suffix.lower() not in ENDINGS:
        raise CommandLineError(f"{out}: end the name in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}.")
    return output_path(out, out.name, home)


def write(rows: pl.DataFrame, path: Path, *, csv: bool) -> WrittenResult:
    """Write the rows to a file that :func:`check_file` has returned, and replace it in one step."""

    def write_to(temporary: Path) -> None:
        if csv or path.suffix.lower() == ".csv":
            temporary.write_text(as_csv(rows), encoding="utf-8", newline="\n")
        elif path.suffix.lower() == ".json":
            text = json.dumps(json_rows(rows), ensure_ascii=False, indent=2, default=str)
            temporary.write_text(f"{text}\n", encoding="utf-8", newline="\n")
        else:
            rows.write_parquet(temporary)

    written = write_atomically(path, write_to)
    return WrittenResult(str(path), rows.height, written.bytes, written.sha256)
