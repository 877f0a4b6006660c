"""The list as Parquet with the published column names, one row per player and time control.

Reading: in batches of bounded size, because a small file can hold billions of rows or a long text many times
(:mod:`~ratinglist.files.parquet_files`).
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO

import polars as pl
import pyarrow as pa

from ratinglist.files import parquet_files
from ratinglist.files.parquet_files import RowLimit, is_plain, texts
from ratinglist.limits import (
    PARQUET_BYTES_PER_ROW,
    PARQUET_ROWS,
    PARQUET_TEXT_BYTES,
    PARQUET_ZIPPED_BYTES,
    SHOWN_LENGTH,
)
from ratinglist.lists.csv_list import COLUMNS, PARQUET_MARK, check_columns, raw_list
from ratinglist.lists.raw_list import Inspection, RawList
from ratinglist.lists.selection import ExportRequest, PreparedExport
from ratinglist.store import table_files
from ratinglist.system_errors import first_line
from ratinglist.tables import LISTED, SYSTEM_LISTED
from ratinglist.text import shortened

# ---------------------------------------------------------------------------------------------------------- reading

BATCH_ROWS = 200_000
_ROWS = RowLimit(small=100_000, bytes_per_row=PARQUET_BYTES_PER_ROW, most=PARQUET_ROWS)
_REMEDY = "write it again, a row per player and list, in row groups of at most a million rows"
_UNREADABLE = (pa.ArrowException, pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError)


def recognises(head: bytes) -> bool:
    """Return whether a file with these first bytes is Parquet."""
    return head.startswith(PARQUET_MARK)


def read(stream: IO[bytes], inspection: Inspection) -> RawList:
    """Read the Parquet list in the open file ``stream``; a file in a zip is read into memory.

    Raises :class:`OfficialListError` if it is not readable, too large, or has a column of an unexpected type.
    """
    if isinstance(stream, io.BufferedReader):
        return _read(Path(stream.name), inspection)
    content = stream.read(PARQUET_ZIPPED_BYTES + 1)
    if len(content) > PARQUET_ZIPPED_BYTES:
        raise inspection.refused(f"it has more than {PARQUET_ZIPPED_BYTES} bytes in a zip", "give the file itself")
    return _read(content, inspection)


def _read(content: Path | bytes, inspection: Inspection) -> RawList:
    """Read the list; the file is open until the last batch was read."""
    frames = _frames(content, inspection)
    columns = next(frames)
    # The first frame has the names of the columns and no rows.
    return raw_list(frames, columns.columns, inspection)


def _frames(content: Path | bytes, inspection: Inspection) -> Iterator[pl.DataFrame]:
    """Yield a frame without rows that has every column of the file, then ``line`` and the columns that are read."""
    try:
        with parquet_files.bounded(content, _ROWS) as file:
            check_columns(file.schema.names, inspection)
            yield pl.DataFrame(schema=dict.fromkeys(file.schema.names, pl.String))
            columns = [name for name in file.schema.names if name in {*COLUMNS, "list_month"}]
            for name in columns:
                if not is_plain(file.schema.field(name).type):
                    raise inspection.refused(
                        f"column {name}: its type is {shortened(str(file.schema.field(name).type), SHOWN_LENGTH)}",
                        "write texts, whole numbers and dates",
                    )
            first = 1
            for batch in file.batches(columns, BATCH_ROWS, PARQUET_TEXT_BYTES):
                yield texts(batch).with_row_index("line", first)
                first += batch.num_rows
    except parquet_files.TooLargeError as wrong:
        raise inspection.refused(f"it {wrong}", _REMEDY) from None
    except _UNREADABLE as wrong:
        raise inspection.refused(
            f"not a readable Parquet file ({shortened(first_line(wrong), 3 * SHOWN_LENGTH)})", "write it again"
        ) from None


# ---------------------------------------------------------------------------------------------------------- writing


def write(path: Path, prepared: PreparedExport, _request: ExportRequest) -> None:
    """Write the rows with the plain types of the published lists."""
    # Some systems have no K.
    table = SYSTEM_LISTED if "k" in prepared.rows.columns and prepared.rows["k"].null_count() else LISTED
    columns = {name: table.columns[name] for name in prepared.rows.columns}
    if prepared.rows["rating"].null_count():  # of a club, members without a rating
        columns["rating"] = replace(columns["rating"], null=True)
    table_files.write_parquet(path, replace(LISTED, columns=columns), prepared.rows)
