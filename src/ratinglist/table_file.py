"""A table that a command writes where it is told to: CSV or Parquet, whichever the name of the file ends in."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from ratinglist.errors import CommandLineError
from ratinglist.publication.files import write_csv, write_parquet
from ratinglist.schemas import Table


def check_table_path(path: Path) -> None:
    """Raise :class:`CommandLineError` where ``path`` ends in neither .csv nor .parquet, or its folder is not there."""
    if path.suffix not in (".csv", ".parquet"):
        raise CommandLineError(f"{path}: write a name that ends in .csv or .parquet.")
    if not path.parent.is_dir():
        raise CommandLineError(f"{path.parent} is not a folder: make it, or name a file in another one.")


def write_table(path: Path, table: Table, rows: pl.DataFrame) -> Path:
    """Write ``rows`` of ``table`` and give back ``path``, replacing what stood there.

    Raises :class:`CommandLineError` as :func:`check_table_path` does.
    """
    check_table_path(path)
    return write_csv(path, rows) if path.suffix == ".csv" else write_parquet(path, table, rows)
