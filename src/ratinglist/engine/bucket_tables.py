"""The tables that the steps of a month read and write, by bucket: in this process, or in files that workers see."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator

import polars as pl


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
