"""Write a table as a Parquet or CSV file. The same rows always give the same bytes."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING

import polars as pl
import pyarrow as pa

from ratinglist.errors import CommandLineError
from ratinglist.tables import Table

if TYPE_CHECKING:
    import pyarrow.parquet as pq
    from _typeshed import ReadableBuffer

ROW_GROUP = 131_072
"""Rows of a row group: fixed, because the default depends on the chunks of the frame."""

FileEntry = Mapping[str, str | int]
"""What a manifest states of a file: ``sha256``, ``bytes``, ``rows``; of a list in Parquet ``logical_sha256`` too."""

_WITHOUT_DICTIONARY = frozenset({"fide_id", "opponent_id", "white_id", "black_id", "name"})
"""Columns that a dictionary makes larger and slower to write: their values hardly repeat."""


def table_path(folder: Path, stem: str) -> Path:
    """Return the path of a published table in the folder of a revision or calculation."""
    return folder / f"{stem}.parquet"


def has_table(folder: Path, stem: str) -> bool:
    """Return whether a folder has a published table."""
    return table_path(folder, stem).is_file()


def scan_table(folder: Path, stem: str) -> pl.LazyFrame:
    """Return a table of a folder, lazily; raises ``OSError`` where it is missing."""
    return pl.scan_parquet(table_path(folder, stem), glob=False, hive_partitioning=False)


def read_table(folder: Path, stem: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """Return a table of a folder, or ``columns`` of it; raises as :func:`scan_table`."""
    return pl.read_parquet(
        table_path(folder, stem),
        columns=None if columns is None else list(columns),
        glob=False,
        hive_partitioning=False,
    )


def arrow_schema(table: Table) -> pa.Schema:
    """Return the Arrow schema of a published table, of plain types that every Parquet reader supports."""
    return pa.schema(
        pa.field(name, _arrow_type(column.dtype), nullable=column.null) for name, column in table.columns.items()
    )


class ParquetFile:
    """A Parquet file that is written slice by slice; a slice of at most :data:`ROW_GROUP` rows is a row group.

    Texts may be dictionary-encoded (:func:`~ratinglist.tables.dictionary_encode`), in all slices or in none; readers
    get texts. Used as a context manager: the file is complete when the block has ended.
    """

    def __init__(self, path: Path, table: Table) -> None:
        self._path, self._plain = path, arrow_schema(table)
        self._writer: pq.ParquetWriter | None = None

    def __enter__(self) -> ParquetFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        (self._writer or self._open(self._plain)).close()

    def write(self, rows: pl.DataFrame) -> None:
        """Add ``rows``, which have the columns of the table.

        Raises ``pyarrow.ArrowInvalid`` or ``ValueError`` where a value does not fit its column.
        """
        if self._writer is None:
            self._writer = self._open(_encoded_schema(self._plain, rows.schema))
        # One chunk, because a page ends where a chunk ends.
        rows = rows.rechunk()
        columns = {
            name: _dictionary(rows[name], kind.categories)
            for name, kind in rows.schema.items()
            if isinstance(kind, pl.Enum)
        }
        # Polars exports text as a view; Arrow casts it to the type of the schema.
        others = pa.schema(field for field in self._plain if field.name not in columns)
        columns.update(zip(others.names, pa.table(rows.drop(list(columns)), schema=others).columns, strict=True))
        self._writer.write_table(pa.table(columns, schema=self._writer.schema), ROW_GROUP)

    def _open(self, schema: pa.Schema) -> pq.ParquetWriter:
        """Return a writer of columns with the types of ``schema``."""
        # Here, because it takes as long as all of Arrow, and many commands write no Parquet file.
        import pyarrow.parquet as pq

        dictionary = [name for name in schema.names if name not in _WITHOUT_DICTIONARY]
        writer = pq.ParquetWriter(
            self._path,
            schema,
            version="2.6",
            compression="zstd",
            compression_level=3,
            use_dictionary=dictionary,
            store_schema=False,
        )
        # A reader with Arrow gets the plain types of the table, also where columns are dictionary-encoded here.
        writer.add_key_value_metadata({"ARROW:schema": b64encode(self._plain.serialize()).decode()})
        return writer


def _encoded_schema(schema: pa.Schema, frame_schema: pl.Schema) -> pa.Schema:
    """Return ``schema`` with a dictionary type for every dictionary-encoded text column of the frame."""
    encoded = pa.dictionary(pa.int32(), pa.string())
    return pa.schema(
        field.with_type(encoded) if isinstance(frame_schema[field.name], pl.Enum) else field for field in schema
    )


def _dictionary(column: pl.Series, texts: pl.Series) -> pa.DictionaryArray:
    """Return an encoded column for Arrow, its dictionary reduced to the texts that occur, in order of occurrence."""
    codes = column.to_physical().to_arrow().dictionary_encode()
    used = texts.gather(pl.Series(codes.dictionary))
    return pa.DictionaryArray.from_arrays(codes.indices, used.to_arrow().cast(pa.string()))


def write_parquet(path: Path, table: Table, frame: pl.DataFrame) -> Path:
    """Write ``frame``, which conforms to ``table``, and return ``path``; raises what :class:`ParquetFile` raises."""
    # Slices, because a chunk of Arrow's plain string type holds at most 2 GB.
    return write_slices(path, table, frame.iter_slices(ROW_GROUP))


def write_slices(path: Path, table: Table, slices: Iterable[pl.DataFrame]) -> Path:
    """Write ``slices`` of at most :data:`ROW_GROUP` rows, which conform to ``table``, and return ``path``."""
    with ParquetFile(path, table) as file:
        for rows in slices:
            file.write(rows)
    return path


def write_csv(path: Path, frame: pl.DataFrame) -> Path:
    """Write ``frame`` in the format of :func:`csv_text` and return ``path``."""
    with path.open("wb") as file:
        CsvText(frame.columns, file).write(frame)
    return path


def logical_sha256(frame: pl.DataFrame) -> str:
    """Return the digest of a table's content in any file format: the sha256 of its CSV, in hex.

    ``frame`` has the columns of its table and is in the published order.
    """
    text = CsvText(frame.columns)
    text.write(frame)
    return text.sha256


def csv_text(frame: pl.DataFrame) -> str:
    """Return ``frame`` as CSV without a byte order mark, lines ended by LF, quoted only where RFC 4180 requires it.

    An empty text and a missing value are both an empty cell.
    """
    text = BytesIO()
    CsvText(frame.columns, text).write(frame)
    return text.getvalue().decode()


class CsvText:
    """A table as CSV (:func:`csv_text`), written slice by slice to a file, or only hashed where there is none.

    ``columns``: the names of its columns. ``file``: the open file.
    """

    def __init__(self, columns: Sequence[str], file: IO[bytes] | None = None) -> None:
        self._stream = _Hashing(file)
        self._stream.write(f"{','.join(columns)}\n".encode())

    @property
    def sha256(self) -> str:
        """Return the digest of the bytes written so far, in hex."""
        return self._stream.sha256.hexdigest()

    def write(self, rows: pl.DataFrame) -> None:
        """Add ``rows``; texts may be dictionary-encoded."""
        texts = pl.col([name for name, kind in rows.schema.items() if isinstance(kind, pl.String | pl.Enum)])
        quoted = any(map(_needs_quotes, rows.select(texts)))
        # With quote_style="necessary" Polars scans every cell, and quotes an empty text too.
        cells = rows.with_columns(pl.when(texts != "").then(texts)) if quoted else rows
        cells.with_columns(_format_dates(day) for day in cells.select(pl.col(pl.Date))).write_csv(
            self._stream,
            include_bom=False,
            include_header=False,
            line_terminator="\n",
            quote_style="necessary" if quoted else "never",
            null_value="",
        )


def _needs_quotes(texts: pl.Series) -> bool:
    """Return whether any cell may need quotes by RFC 4180; a repeated text is searched once."""
    kind = texts.dtype
    distinct = kind.categories if isinstance(kind, pl.Enum) else texts.filter(texts.ne_missing(texts.shift(1)))
    return bool(distinct.str.contains_any([",", '"', "\n", "\r"]).any())


def _format_dates(dates: pl.Series) -> pl.Series:
    """Return dates as text; where there are more rows than days between the first and last, format each day once."""
    first, last = dates.min(), dates.max()
    if not isinstance(first, date) or not isinstance(last, date) or (last - first).days >= len(dates):
        return dates.cast(pl.String)
    days = pl.date_range(first, last, eager=True).cast(pl.String)
    return days.gather((dates - first).dt.total_days()).alias(dates.name)


class _Hashing(BytesIO):
    """A stream that hashes what is written and passes it on to a file, where there is one; nothing is kept."""

    def __init__(self, file: IO[bytes] | None = None) -> None:
        super().__init__()
        self.sha256 = hashlib.sha256()
        self._file = file

    def write(self, data: ReadableBuffer) -> int:
        """Hash ``data`` and write it to the file."""
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


_SIGNS = "=+\\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u2212"
"""The four signs, their wide and small forms, and the minus."""
_MARKS = "\"'`\u00ab\u00bb\u2018\u2019\u201c\u201d\u201e"
_HIDING = rf"[\s\p{{Z}}\p{{C}}{_MARKS}]*"
_SEPARATORS = ",;|"
_LEADING_CONTROL = r"^[\t\r\n]"


def guard_formulas(rows: pl.DataFrame, separator: str = ",") -> tuple[pl.DataFrame, int]:
    """Return ``rows`` with every text made harmless, and the number of changed cells.

    A spreadsheet calculates a text that begins with ``=``, ``+``, ``-`` or ``@``, so a player's name could send the
    list to a stranger. Such a text gets an apostrophe before that sign, which spreadsheets read as "this is text".
    Blanks, control characters and quotation marks may precede the sign, and its wide and small forms count too. A
    program with another list separator splits a text at it, so the sign is looked for behind every other separator as
    well. Behind the file's own separator it is safe, because a text that holds it is quoted.

    ``separator``: that of the file. A program that reads the file has to remove the apostrophe.
    """
    others = _SEPARATORS.replace(separator, "")
    formula = rf"(^|[{others}\t\r\n])({_HIDING})([{_SIGNS}])"
    texts = [name for name, dtype in rows.schema.items() if dtype == pl.String]
    found = rows.select(pl.col(texts).str.contains(f"{formula}|{_LEADING_CONTROL}"))
    dangerous = [name for name in texts if found[name].any()]
    if not dangerous:
        return rows, 0
    safe = pl.col(dangerous).str.replace_all(formula, "${1}${2}'${3}").str.replace(f"({_LEADING_CONTROL})", "'${1}")
    return rows.with_columns(safe), int(found.sum().sum_horizontal().item())


def formula_problem(text: str) -> str:
    """Return that a spreadsheet calculates a text (:func:`guard_formulas`), as the end of a sentence; empty if not."""
    if not guard_formulas(pl.DataFrame({"text": [text]}))[1]:
        return ""
    return "has a sign that a spreadsheet calculates (=, +, - or @) where it begins, or after a separator"


def check_table_path(path: Path) -> None:
    """Raise :class:`CommandLineError` where ``path`` ends in neither .csv nor .parquet, or its folder is missing."""
    if path.suffix not in (".csv", ".parquet"):
        raise CommandLineError(f"{path}: write a name that ends in .csv or .parquet.")
    if not path.parent.is_dir():
        raise CommandLineError(f"{path.parent} is not a folder: make it, or name a file in another one.")


def write_table(path: Path, table: Table, rows: pl.DataFrame) -> Path:
    """Write ``rows`` of ``table``, replace an existing file and return ``path``; a CSV as for spreadsheets.

    Raises :class:`CommandLineError` as :func:`check_table_path` does.
    """
    check_table_path(path)
    return write_csv(path, guard_formulas(rows)[0]) if path.suffix == ".csv" else write_parquet(path, table, rows)
