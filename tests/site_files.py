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


def events_of(site: Path, month: str) -> pl.DataFrame:
    """Return the events of a month, each with ``first``, the number of the month whose slices have it."""
    places = pl.DataFrame(slice_of(site, "e/index", month)["events"], strict=False)
    parts = []
    for (first, file), places_of_slice in places.group_by("first", "file"):
        slice_events = pl.DataFrame(_slice_of_events(site, first, file)["events"], strict=False)
        parts.append(places_of_slice.join(slice_events, on=["event", "event_id"], how="left"))
    return pl.concat(parts, how="diagonal_relaxed")


def sides_of(site: Path, month: str) -> pl.DataFrame:
    """Return the sides of all games of a month's events, with the FIDE IDs that the numbers of players stand for."""
    parts = []
    for (first, file), events in events_of(site, month).group_by("first", "file"):
        content = _slice_of_events(site, first, file)
        if "sides" not in content:
            continue
        players = pl.DataFrame(content["players"], strict=False).select("event", "id")
        players = players.with_columns(number=pl.int_range(pl.len(), dtype=pl.Int64).over("event"))
        sides = pl.DataFrame(content["sides"], strict=False).join(events.select("event", "event_id"), on="event")
        sides = sides.join(players.rename({"number": "player"}), on=["event", "player"], how="left")
        opponents = players.rename({"number": "opponent", "id": "opponent_id"})
        parts.append(sides.join(opponents, on=["event", "opponent"], how="left"))
    return pl.concat(parts, how="diagonal_relaxed")


def _slice_of_events(site: Path, first: int, file: int) -> dict[str, Any]:
    months = sorted(json.loads((site / "site.json").read_bytes())["months"])
    return slice_of(site, f"e/{file}", months[first])


def rows_of(columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """Return the rows of a table of a slice."""
    return pl.DataFrame(columns, strict=False).to_dicts()
