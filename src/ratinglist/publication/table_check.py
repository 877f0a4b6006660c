"""Verify published tables, in batches of bounded size: a publication may come from anybody."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa

from ratinglist import parquet_files
from ratinglist.limits import PUBLISHED_TEXT_BYTES
from ratinglist.parquet_files import RowLimit
from ratinglist.schemas import LISTS, Table
from ratinglist.store.table_files import CsvText, arrow_schema

_READ_ROWS = 131_072
_UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError, TypeError)
_ROWS = RowLimit(small=1_000_000, bytes_per_row=1, most=2**31)


def problems(stem: str, files: Mapping[Path, Mapping[str, Any]]) -> dict[Path, str]:
    """Return what is wrong with the rows of a table whose bytes are those of the manifest, by file; empty: nothing.

    ``files``: the table in one file, or its parts in their order, each with its entry in the manifest.
    """
    last, entry = list(files.items())[-1]
    text: CsvText | None = None
    for path, of_file in files.items():
        if "logical_sha256" not in of_file and stem in LISTS:
            return {path: "has no logical digest in the manifest"}
        try:
            with parquet_files.bounded(path, _ROWS) as file:
                if file.rows != of_file["rows"]:
                    return {path: f"has {file.rows:,} rows, and the manifest says {of_file['rows']:,}"}
                if "logical_sha256" not in of_file:
                    continue
                text = text or CsvText(file.schema.names)
                for batch in file.batches(file.schema.names, _READ_ROWS, PUBLISHED_TEXT_BYTES):
                    text.write(pl.DataFrame(batch))
        except parquet_files.TooLargeError as error:
            return {path: f"{error}: it is not read"}
        except (pa.ArrowException, *_UNREADABLE) as error:
            return {path: f"is not a table that can be read ({type(error).__name__})"}
    if text is None or text.sha256 == entry["logical_sha256"]:
        return {}
    where = last if len(files) == 1 else last.parent
    return {where: "has other contents than its logical digest: not what we wrote"}


def unlisted_problem(path: Path, table: Table) -> str:
    """Return what is wrong with a table that no manifest names; empty where nothing is.

    It must be possible to read it, and it must have columns of ``table``, its key among them.
    """
    try:
        with parquet_files.bounded(path, _ROWS) as file:
            columns = file.schema
            for _batch in file.batches(columns.names, _READ_ROWS, PUBLISHED_TEXT_BYTES):
                pass
    except parquet_files.TooLargeError as error:
        return f"{error}: it is not read"
    except (pa.ArrowException, *_UNREADABLE) as error:
        return f"is not a table that can be read ({type(error).__name__})"
    expected = arrow_schema(table)
    unknown = [
        one.name for one in columns if one.name not in expected.names or one.type != expected.field(one.name).type
    ]
    missing = [name for name in table.key if name not in columns.names]
    if not unknown and not missing:
        return ""
    names = ascii(", ".join(unknown or missing))[1:-1]
    return f"is not the table it is named for: column {names} is {'unknown' if unknown else 'missing'}"
