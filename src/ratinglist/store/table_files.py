"""One published table as one file: Parquet for programs, CSV for people. The same rows always give the same bytes."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import date
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING

import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from ratinglist.durable_files import TEMPORARY_PREFIX, synced
from ratinglist.errors import CommandLineError
from ratinglist.schemas import Table

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

ROW_GROUP = 131_072
"""Rows of a row group: fixed, for the default depends on how the frame happens to be chunked."""

FileEntry = Mapping[str, str | int]
"""What a manifest states of a file: ``sha256``, ``bytes``, ``rows``; of a Parquet file ``logical_sha256`` too."""

_HARDLY_REPEATED = frozenset({"fide_id", "opponent_id", "name"})
"""Columns that a dictionary makes larger, and dearer to write."""


def arrow_schema(table: Table) -> pa.Schema:
    """The Arrow schema of a published table: plain types that every reader of Parquet knows."""
    return pa.schema(
        pa.field(name, _arrow_type(column.dtype), nullable=column.null) for name, column in table.columns.items()
    )


class ParquetFile:
    """A Parquet file that is written slice by slice; a slice of at most :data:`ROW_GROUP` rows is a row group.

    Texts may be numbers of words (:func:`~ratinglist.schemas.dictionary_encode`): in all slices, or in none. A reader
    sees texts. Used as a context manager: the file is whole when the block has ended.
    """

    def __init__(self, path: Path, table: Table) -> None:
        self._path, self._plain = path, arrow_schema(table)
        self._writer: pq.ParquetWriter | None = None

    def __enter__(self) -> ParquetFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        (self._writer or self._begun(self._plain)).close()

    def write(self, rows: pl.DataFrame) -> None:
        """Add ``rows``, which have the columns of the table.

        Raises ``pyarrow.ArrowInvalid`` or ``ValueError`` where a value does not fit its column.
        """
        if self._writer is None:
            self._writer = self._begun(_as_held(self._plain, rows.schema))
        # One chunk, because pages would end where chunks do.
        whole = rows.rechunk()
        told = {
            name: _dictionary(whole[name], kind.categories)
            for name, kind in whole.schema.items()
            if isinstance(kind, pl.Enum)
        }
        # Polars itself writes text as large_string or a view; asked for the schema's types, it hands its columns over
        # as those, and nothing is cast.
        others = pa.schema(field for field in self._plain if field.name not in told)
        told.update(zip(others.names, pa.table(whole.drop(list(told)), schema=others).columns, strict=True))
        self._writer.write_table(pa.table(told, schema=self._writer.schema), ROW_GROUP)

    def _begun(self, schema: pa.Schema) -> pq.ParquetWriter:
        """A writer of columns that are held as ``schema`` says."""
        dictionary = [name for name in schema.names if name not in _HARDLY_REPEATED]
        writer = pq.ParquetWriter(
            self._path,
            schema,
            version="2.6",
            compression="zstd",
            compression_level=3,
            use_dictionary=dictionary,
            store_schema=False,
        )
        # Whatever a column is held as here, who reads it with Arrow gets what the table has: plain types.
        writer.add_key_value_metadata({"ARROW:schema": b64encode(self._plain.serialize()).decode()})
        return writer


def _as_held(schema: pa.Schema, held: pl.Schema) -> pa.Schema:
    """``schema`` with a dictionary for every text that is held as numbers of words."""
    words = pa.dictionary(pa.int32(), pa.string())
    return pa.schema(field.with_type(words) if isinstance(held[field.name], pl.Enum) else field for field in schema)


def _dictionary(column: pl.Series, words: pl.Series) -> pa.DictionaryArray:
    """Numbers of ``words`` for Arrow: of the words those that stand in ``column``, in the order in which they do."""
    numbers = column.to_physical()
    used = numbers.drop_nulls().unique(maintain_order=True)
    nothing = pl.Series([None], dtype=pl.Int32).new_from_index(0, len(words))
    places = nothing.scatter(used, pl.int_range(len(used), dtype=pl.Int32, eager=True))
    return pa.DictionaryArray.from_arrays(
        places.gather(numbers).to_arrow(), words.gather(used).to_arrow().cast(pa.string())
    )


def write_parquet(path: Path, table: Table, frame: pl.DataFrame) -> Path:
    """Write ``frame``, which conforms to ``table``, and give back ``path``; raises what :class:`ParquetFile` does."""
    with ParquetFile(path, table) as file:
        # Slices, because Arrow's plain string holds 2 GB a chunk.
        for rows in frame.iter_slices(ROW_GROUP):
            file.write(rows)
    return path


def replace_parquet(path: Path, table: Table, frame: pl.DataFrame) -> Path:
    """As :func:`write_parquet`, in the place of a file that readers may have open: they see the old or the new one."""
    aside = path.with_name(f"{TEMPORARY_PREFIX}{path.name}")
    return synced(write_parquet(aside, table, table.conform(frame))).replace(path)


def write_csv(path: Path, frame: pl.DataFrame) -> Path:
    """Write ``frame`` as :func:`csv_text` has it and give back ``path``."""
    with path.open("wb") as file:
        CsvText(frame.columns, file).write(frame)
    return path


def logical_sha256(frame: pl.DataFrame) -> str:
    """The digest of a table's content, whatever file it stands in: the sha256 of its CSV, in hex.

    ``frame`` has the columns of its table and stands in the published order.
    """
    text = CsvText(frame.columns)
    text.write(frame)
    return text.sha256


def csv_text(frame: pl.DataFrame) -> str:
    """``frame`` as CSV without a mark, ended by LF, quoted only where RFC 4180 asks for it.

    An empty text and an absent number are both an empty cell.
    """
    text = BytesIO()
    CsvText(frame.columns, text).write(frame)
    return text.getvalue().decode()


class CsvText:
    """A table as CSV (:func:`csv_text`), written slice by slice to a file, or to nowhere for the sake of its digest.

    In: the names of its ``columns``, and the open file it goes to.
    """

    def __init__(self, columns: Sequence[str], file: IO[bytes] | None = None) -> None:
        self._to = _Hashing(file)
        self._to.write(f"{','.join(columns)}\n".encode())

    @property
    def sha256(self) -> str:
        """The digest of what was written, in hex."""
        return self._to.sha256.hexdigest()

    def write(self, rows: pl.DataFrame) -> None:
        """Add ``rows``; texts may be numbers of words."""
        texts = pl.col([name for name, kind in rows.schema.items() if isinstance(kind, pl.String | pl.Enum)])
        quoted = any(map(_asks_for_quotes, rows.select(texts)))
        # Told to quote where it is necessary, Polars looks at every cell, and quotes an empty text too.
        cells = rows.with_columns(pl.when(texts != "").then(texts)) if quoted else rows
        cells.with_columns(_days_in_words(day) for day in cells.select(pl.col(pl.Date))).write_csv(
            self._to,
            include_bom=False,
            include_header=False,
            line_terminator="\n",
            quote_style="necessary" if quoted else "never",
            null_value="",
        )


def _asks_for_quotes(texts: pl.Series) -> bool:
    """Whether any cell may hold what RFC 4180 wants in quotes; a repeated text is looked at once."""
    kind = texts.dtype
    different = kind.categories if isinstance(kind, pl.Enum) else texts.filter(texts.ne_missing(texts.shift(1)))
    return bool(different.str.contains_any([",", '"', "\n", "\r"]).any())


def _days_in_words(dates: pl.Series) -> pl.Series:
    """Dates as CSV has them; where the rows are more than the days they span, each day is put into words once."""
    first, last = dates.min(), dates.max()
    if not isinstance(first, date) or not isinstance(last, date) or (last - first).days >= len(dates):
        return dates.cast(pl.String)
    days = pl.date_range(first, last, eager=True).cast(pl.String)
    return days.gather((dates - first).dt.total_days()).alias(dates.name)


class _Hashing(BytesIO):
    """Where text goes that is hashed on its way to a file, or to nowhere; it is never held whole."""

    def __init__(self, file: IO[bytes] | None = None) -> None:
        super().__init__()
        self.sha256 = hashlib.sha256()
        self._file = file

    def write(self, data: ReadableBuffer) -> int:
        """Take one piece."""
        self.sha256.update(data)
        return memoryview(data).nbytes if self._file is None else self._file.write(data)


def _arrow_type(dtype: pl.DataType) -> pa.DataType:
    if isinstance(dtype, pl.Decimal):
        return pa.decimal128(dtype.precision, dtype.scale)
    plain = {
        pl.String(): pa.string(),
        pl.Int32(): pa.int32(),
        pl.Int64(): pa.int64(),
        pl.Date(): pa.date32(),
        pl.Boolean(): pa.bool_(),
    }
    return plain[dtype]


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
