"""Read the slices of a site's data as the browser does, without its script."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl


def slice_of(site: Path, name: str, month: str | None = None) -> dict[str, Any]:
    """Return the content of a slice; ``month``: of the events of that month."""
    facts = json.loads((site / "site.json").read_bytes())
    version = facts["version"] if month is None else facts["months"][month]
    content: dict[str, Any] = json.loads(gzip.decompress((site / f"data/{version}/{name}.json.gz").read_bytes()))
    assert content.pop("version") == version
    return content


def tables_of(site: Path, kind: str, month: str | None = None) -> Iterator[dict[str, pl.DataFrame]]:
    """Yield the tables of every slice of a kind, such as ``p``: each as a frame of the columns that have a value."""
    names = {int(path.name.partition(".")[0]) for path in site.glob(f"data/*/{kind}/[0-9]*.json.gz")}
    for number in sorted(names):
        try:
            content = slice_of(site, f"{kind}/{number}", month)
        except FileNotFoundError:
            continue
        yield {name: pl.DataFrame(columns, strict=False) for name, columns in content.items()}


def table_of(site: Path, kind: str, name: str, month: str | None = None) -> pl.DataFrame:
    """Return the rows that all slices of a kind have of a table."""
    parts = [tables[name] for tables in tables_of(site, kind, month) if name in tables]
    return pl.concat(parts, how="diagonal_relaxed") if parts else pl.DataFrame()


def rows_of(columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """Return the rows of a table of a slice."""
    return pl.DataFrame(columns, strict=False).to_dicts()
