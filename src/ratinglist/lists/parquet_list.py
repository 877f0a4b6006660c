"""Write the list as Parquet with the published column names, one row per player and time control."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ratinglist.lists.selection import ExportRequest, PreparedExport
from ratinglist.store import table_files
from ratinglist.tables import LISTED, SYSTEM_LISTED


def write(path: Path, prepared: PreparedExport, _request: ExportRequest) -> None:
    """Write the rows with the plain types of the published lists."""
    # Some systems have no K.
    table = SYSTEM_LISTED if "k" in prepared.rows.columns and prepared.rows["k"].null_count() else LISTED
    columns = {name: table.columns[name] for name in prepared.rows.columns}
    if prepared.rows["rating"].null_count():  # of a club, members without a rating
        columns["rating"] = replace(columns["rating"], null=True)
    table_files.write_parquet(path, replace(LISTED, columns=columns), prepared.rows)
