"""The tables that the steps of a month read and write, by bucket: in this process, or in files that workers see.

::

    HOME/buckets/
        report_games/bucket=3/*.parquet     an input that the store wrote: one folder a bucket
        sides/bucket=3.parquet              what the step over bucket 3 gave: one file

A step writes its file under another name and renames it, so a bucket that two workers have done is done once: both
files have the same rows. Rows that go on to buckets of another kind are split in row groups by their destination
(:meth:`BucketFolder.write_split`), and a reader skips the row groups of other destinations.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from ratinglist.files.durable_files import TEMPORARY_PREFIX
from ratinglist.files.private_files import make_private_folder

_ROWS_OF_A_SEARCHED_FILE = 16_384
"""Rows of a row group in a file of which readers take a range: :meth:`BucketFolder.ranges`."""


class BucketTables(ABC):
    """Keeps the rows of each table by bucket."""

    @abstractmethod
    def write(self, table: str, bucket: int, rows: pl.DataFrame) -> None:
        """Keep the rows of one bucket, in place of those that were written before."""

    def write_searched(self, table: str, bucket: int, rows: pl.DataFrame) -> None:
        """Keep the rows of one bucket, sorted by the column that :meth:`ranges` will search."""
        self.write(table, bucket, rows)

    @abstractmethod
    def write_split(self, table: str, bucket: int, rows: pl.DataFrame) -> None:
        """Keep rows for buckets of another kind: their column ``to_bucket`` holds the destination."""

    @abstractmethod
    def read(self, table: str, bucket: int, empty: pl.DataFrame | None = None) -> pl.DataFrame:
        """Return the rows of one bucket; ``empty``: what an input without rows has, and the types of its columns."""

    def take(self, table: str, bucket: int, empty: pl.DataFrame | None = None) -> pl.DataFrame:
        """Return the rows of one bucket that no later step reads; a step that is done again may read them again."""
        return self.read(table, bucket, empty)

    @abstractmethod
    def gather(self, table: str, from_buckets: int, to_bucket: int) -> pl.DataFrame:
        """Return the rows that the buckets of another kind have for ``to_bucket``, in the order of those buckets.

        Out: the columns written, without ``to_bucket``, and ``from_bucket``. No later step reads them.
        """

    def ranges(self, table: str, buckets: int, column: str, first: int, last: int) -> pl.DataFrame:
        """Return the rows of all buckets whose ``column`` is from ``first`` to ``last``.

        An Enum has the texts of all buckets.
        """
        is_within = pl.col(column).is_between(first, last)
        frames = [self.read_where(table, bucket, is_within) for bucket in range(buckets)]
        # Polars declares neither that a type of the schema may have categories, nor that a frame is cast by a dict.
        united = {
            name: pl.Enum(pl.concat(frame.schema[name].categories for frame in frames).unique().sort())  # type: ignore[attr-defined]
            for name, kind in frames[0].schema.items()
            if isinstance(kind, pl.Enum)
        }
        return pl.concat(frame.cast(united) for frame in frames)  # type: ignore[arg-type]

    def read_where(self, table: str, bucket: int, condition: pl.Expr) -> pl.DataFrame:
        """Return the rows of one bucket that meet a condition."""
        return self.read(table, bucket).filter(condition)

    def each(self, table: str, buckets: int) -> Iterator[pl.DataFrame]:
        """Yield the rows of one bucket after the other."""
        return (self.read(table, bucket) for bucket in range(buckets))


class MemoryTables(BucketTables):
    """The tables of a month in this process: rows are freed when the last step has read them."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, int], pl.DataFrame | Callable[[], pl.DataFrame]] = {}
        self._split: dict[tuple[str, int, int], pl.DataFrame] = {}
        self._empty: dict[str, pl.DataFrame] = {}

    def offer(self, table: str, bucket: int, rows: Callable[[], pl.DataFrame]) -> None:
        """Keep rows that are computed when a step reads them."""
        self._rows[table, bucket] = rows

    def write(self, table: str, bucket: int, rows: pl.DataFrame) -> None:
        """Keep the rows of one bucket; see :class:`BucketTables`."""
        self._rows[table, bucket] = rows

    def write_split(self, table: str, bucket: int, rows: pl.DataFrame) -> None:
        """Keep rows by their destination; see :class:`BucketTables`."""
        numbered = rows.with_columns(pl.lit(bucket, dtype=pl.Int32).alias("from_bucket"))
        self._empty[table] = numbered.drop("to_bucket").clear()
        # Rows of one destination, as all are in a month with one bucket, are not copied.
        is_one = rows.height and rows["to_bucket"].min() == rows["to_bucket"].max()
        parts = [numbered] if is_one else numbered.partition_by("to_bucket", maintain_order=True)
        for part in parts:
            if part.height:
                self._split[table, bucket, part.item(0, "to_bucket")] = part.drop("to_bucket")

    def read(self, table: str, bucket: int, empty: pl.DataFrame | None = None) -> pl.DataFrame:
        """Return the rows of one bucket; see :class:`BucketTables`."""
        if empty is not None and (table, bucket) not in self._rows:
            return empty
        rows = self._rows[table, bucket]
        return rows if isinstance(rows, pl.DataFrame) else rows()

    def take(self, table: str, bucket: int, empty: pl.DataFrame | None = None) -> pl.DataFrame:
        """Return the rows of one bucket and forget them; see :class:`BucketTables`."""
        rows = self.read(table, bucket, empty)
        self._rows.pop((table, bucket), None)
        return rows

    def gather(self, table: str, from_buckets: int, to_bucket: int) -> pl.DataFrame:
        """Return the rows for ``to_bucket`` and forget them; see :class:`BucketTables`."""
        parts = [self._split.pop((table, bucket, to_bucket), None) for bucket in range(from_buckets)]
        return pl.concat([self._empty[table], *(part for part in parts if part is not None)])


@dataclass(frozen=True, slots=True)
class BucketFolder(BucketTables):
    """The folder at ``root``; workers on other machines see it under the same path."""

    root: Path

    def make(self) -> None:
        """Make the folder, closed to other accounts: the inputs have birth dates."""
        make_private_folder(self.root)

    def folder_of(self, table: str) -> Path:
        """Return the folder of a table's buckets, and make it."""
        folder = self.root / table
        folder.mkdir(exist_ok=True)
        return folder

    def write(self, table: str, bucket: int, rows: pl.DataFrame) -> None:
        """Write the rows of one bucket, in place of those that were written before."""
        path = self._aside(table)
        # No reader skips rows of it, so there is nothing that statistics could help to find.
        rows.write_parquet(path, compression="lz4", statistics=False)
        path.rename(self._file(table, bucket))

    def write_searched(self, table: str, bucket: int, rows: pl.DataFrame) -> None:
        """Write the rows of one bucket, sorted by the column that :meth:`ranges` will search."""
        path = self._aside(table)
        rows.write_parquet(path, compression="lz4", row_group_size=_ROWS_OF_A_SEARCHED_FILE)
        path.rename(self._file(table, bucket))

    def write_split(self, table: str, bucket: int, rows: pl.DataFrame) -> None:
        """Write rows for buckets of another kind: their column ``to_bucket`` holds the destination."""
        path = self._aside(table)
        numbered = rows.with_columns(pl.lit(bucket, dtype=pl.Int32).alias("from_bucket"))
        ordered = numbered.sort("to_bucket", maintain_order=True)
        # Sums and numbers of rows hardly repeat: a dictionary of them would cost time and no file would be smaller.
        with pq.ParquetWriter(
            path, _schema(numbered), compression="lz4", use_dictionary=False, write_statistics=["to_bucket"]
        ) as writer:
            for part in ordered.partition_by("to_bucket", maintain_order=True):
                writer.write_table(_arrow(part))
        path.rename(self._file(table, bucket))

    def read(self, table: str, bucket: int, empty: pl.DataFrame | None = None) -> pl.DataFrame:
        """Return the rows of one bucket; ``empty``: what an input without a file has, and the types of its columns."""
        files = self._files(table, bucket)
        if empty is None:
            return pl.read_parquet(files, glob=False, hive_partitioning=False)
        rows = [pl.read_parquet(file, glob=False, hive_partitioning=False) for file in files]
        return pl.concat([one.select(_typed(empty, one)) for one in rows]) if rows else empty

    def read_where(self, table: str, bucket: int, condition: pl.Expr) -> pl.DataFrame:
        """Return the rows of one bucket that meet a condition, and skip row groups without any."""
        rows = pl.scan_parquet(self._file(table, bucket), glob=False, hive_partitioning=False)
        return rows.filter(condition).collect()

    def gather(self, table: str, from_buckets: int, to_bucket: int) -> pl.DataFrame:
        """Return the rows that the buckets of another kind have for ``to_bucket``, in the order of those buckets.

        Out: the columns written, without ``to_bucket``, and ``from_bucket``.
        """
        # One scan of all files: with hundreds of buckets, a scan of each would cost more than the rows.
        files = [self._file(table, bucket) for bucket in range(from_buckets)]
        rows = pl.scan_parquet(files, glob=False, hive_partitioning=False)
        return rows.filter(pl.col("to_bucket") == to_bucket).drop("to_bucket").collect()

    def _aside(self, table: str) -> Path:
        return self.folder_of(table) / f"{TEMPORARY_PREFIX}{uuid4().hex}"

    def _file(self, table: str, bucket: int) -> Path:
        return self.root / table / f"bucket={bucket}.parquet"

    def _files(self, table: str, bucket: int) -> list[Path]:
        """Return the files of a bucket: those in its folder, else the one a step wrote."""
        folder = self.root / table / f"bucket={bucket}"
        if folder.is_dir():
            return sorted(folder.glob("*.parquet"))
        file = self._file(table, bucket)
        return [file] if file.exists() else []


def _typed(empty: pl.DataFrame, rows: pl.DataFrame) -> list[pl.Expr]:
    """Return the columns of ``empty`` in their types; a study needs only some columns of a player."""
    return [pl.col(name).cast(kind) for name, kind in empty.schema.items() if name in rows.columns]


def _arrow(rows: pl.DataFrame) -> pa.Table:
    """Return rows as Arrow, every chunk in one; an Enum becomes text."""
    return rows.cast({pl.Enum: pl.String}).rechunk().to_arrow(compat_level=pl.CompatLevel.oldest())


def _schema(rows: pl.DataFrame) -> pa.Schema:
    return _arrow(rows.clear()).schema
