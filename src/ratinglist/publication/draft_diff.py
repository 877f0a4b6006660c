"""The differences between two folders of a month's files: the preview that was approved, and the files of now."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from ratinglist.schemas import PUBLISHED
from ratinglist.store import table_parts


def differences(before: Path, now: Path) -> list[str]:
    """Return a line per published table that differs: how many rows, and the first of them.

    Returns nothing where the folder ``before`` does not exist.
    """
    if not before.is_dir():
        return []
    lines = []
    for stem in PUBLISHED:
        was, is_now = (table_parts.files_of(folder, stem) for folder in (before, now))
        if bool(was) != bool(is_now):
            lines.append(f"  {stem}.parquet: {'removed' if was else 'new'}")
        elif [path.read_bytes() for path in was] != [path.read_bytes() for path in is_now]:
            lines += _differences(stem, table_parts.read(before, stem), table_parts.read(now, stem))
    return lines or ["  the tables are the same: the difference is in manifest.json"]


def _differences(stem: str, was: pl.DataFrame, is_now: pl.DataFrame) -> list[str]:
    key = [name for name in PUBLISHED[stem].key if name in was.columns and name in is_now.columns]
    common = [name for name in was.columns if name in is_now.columns]
    gone = was.join(is_now, on=common, how="anti", nulls_equal=True)
    come = is_now.join(was, on=common, how="anti", nulls_equal=True)
    if not key:
        return [f"  {stem}.parquet: {len(gone):,} rows removed, {len(come):,} new"]
    both = gone.join(come, on=key, how="full", coalesce=True, suffix=" now").sort(key)
    if both.is_empty():
        return [f"  {stem}.parquet: it has other columns"]
    first = both.row(0, named=True)
    changes = [
        f"{name} {_cell_text(first[name])}, now {_cell_text(first[f'{name} now'])}"
        for name in common
        if name not in key and first[name] != first[f"{name} now"]
    ]
    named = " ".join(str(first[name]) for name in key)
    rows = "1 row differs" if len(both) == 1 else f"{len(both):,} rows differ"
    return [f"  {stem}.parquet: {rows}, first {named}: {'; '.join(changes)}"]


def _cell_text(value: object) -> str:
    return "none" if value is None else str(value)
