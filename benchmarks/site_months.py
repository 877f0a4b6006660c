"""Make the published folder of an office with many months out of one published month of a drawn world.

A site of two million players and 26 months is to be measured, and 26 runs would take hours. So the tables of the one
month are written again for each month: other players play the same games, and the ratings of the lists go on from month
to month. ``python -m benchmarks.site_months REVISION HOME MONTHS`` makes the home.

What differs from a home that was calculated: the players of a month are those of the first one, moved along the list,
so the ratings in their games are not those of the list. A rapid list of a third of the players and a blitz list of a
sixth are added; all games are standard. All files are as large as calculated ones, and their manifests are valid.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import polars as pl

from ratinglist.files.durable_files import sha256_of
from ratinglist.period import Period
from ratinglist.publication import manifest
from ratinglist.schemas import LISTED, UNRATED

LAST = Period.parse("2025-12")
STEP = 104_729
"""By so many places the players are moved along the list from one month to the next."""
SHARES = {"standard": 1, "rapid": 3, "blitz": 6}
"""Every how many players of the standard list have a line on each list."""
LOWEST, HIGHEST = 1400, 2882


def make(revision: Path, home: Path, months: int) -> None:
    """Write ``months`` published months into ``home``, the newest of them :data:`LAST`."""
    tables = {path.stem: pl.read_parquet(path) for path in sorted(revision.glob("*.parquet"))}
    first = manifest.read((revision / "manifest.json").read_bytes())
    ids = tables["standard"]["fide_id"].sort()
    ratings = tables["standard"].select("fide_id", "rating")
    for number in range(months):
        period = LAST - (months - 1 - number)
        moved = {stem: _moved(rows, ids, number * STEP) for stem, rows in tables.items() if stem != "standard"}
        moved = {stem: _of_month(rows, number) for stem, rows in moved.items()}
        ratings = _changed(ratings, moved["changes"])
        whole = _list(tables["standard"], ratings, moved["changes"], period)
        lists = {name: whole.filter(pl.col("fide_id") % every == 0) for name, every in SHARES.items()}
        named = {name: rows.with_columns(pl.lit(name).alias("time_control")) for name, rows in lists.items()}
        _write(home / "published", period, first.facts, moved | named | {"unrated": _unrated(moved, ids)})
        print(period, flush=True)


def _moved(rows: pl.DataFrame, ids: pl.Series, places: int) -> pl.DataFrame:
    """Return rows in which every player of the list is another one, ``places`` along the list."""
    start = places % len(ids)
    others = pl.DataFrame({"fide_id": ids, "other": pl.concat([ids.slice(start), ids.head(start)])})
    for column in ("fide_id", "opponent_id"):
        if column in rows.columns:
            rows = (
                rows.join(others.rename({"fide_id": column}), on=column, how="left", maintain_order="left")
                .with_columns(pl.coalesce("other", column).alias(column))
                .drop("other")
            )
    return rows


def _of_month(rows: pl.DataFrame, number: int) -> pl.DataFrame:
    """Return rows whose events are those of another month: their codes are."""
    if "event_id" not in rows.columns:
        return rows
    return rows.with_columns(pl.concat_str("event_id", pl.lit(f"-{number}")).alias("event_id"))


def _changed(ratings: pl.DataFrame, changes: pl.DataFrame) -> pl.DataFrame:
    """Return the ratings of the list, ``fide_id`` and ``rating``, after the changes of a month."""
    change = changes.select("fide_id", pl.col("change").fill_null(0))
    return ratings.join(change, on="fide_id", how="left", maintain_order="left").select(
        "fide_id", (pl.col("rating") + pl.col("change").fill_null(0)).clip(LOWEST, HIGHEST).alias("rating")
    )


def _list(players: pl.DataFrame, ratings: pl.DataFrame, changes: pl.DataFrame, period: Period) -> pl.DataFrame:
    """Return the list of a month (``LISTED``) with the data of ``players``."""
    played = changes.select("fide_id", "games")
    rows = (
        players.drop("rating", "games")
        .join(ratings, on="fide_id")
        .join(played, on="fide_id", how="left")
        .with_columns(pl.col("games").fill_null(0), pl.lit(str(period)).alias("list_month"))
    )
    return LISTED.sorted(LISTED.conform(rows))


def _unrated(tables: dict[str, pl.DataFrame], ids: pl.Series) -> pl.DataFrame:
    """Return names for the players who are on no list (``UNRATED``)."""
    found = pl.concat(tables[stem]["fide_id"] for stem in ("games", "entries", "pool")).unique().sort()
    unlisted = found.filter(~found.is_in(ids.implode()))
    name = pl.concat_str(pl.lit("Unrated, Player "), pl.col("fide_id").cast(pl.String))
    return UNRATED.conform(unlisted.to_frame().with_columns(name.alias("name"), pl.lit("ITA").alias("federation")))


def _write(published: Path, period: Period, facts: dict[str, Any], tables: dict[str, pl.DataFrame]) -> None:
    """Write a month of one revision with a valid manifest."""
    folder = published / str(period) / "r1"
    folder.mkdir(parents=True)
    files: dict[str, dict[str, str | int]] = {}
    for stem, rows in tables.items():
        path = folder / f"{stem}.parquet"
        rows.write_parquet(path, compression="zstd", compression_level=1)
        files[path.name] = {"sha256": sha256_of(path), "bytes": path.stat().st_size, "rows": rows.height}
    before = [f"{period - 1} {name} {'0' * 64}" for name in SHARES]
    stated = {**facts, "inputs": {**facts["inputs"], "lists": before}}
    (folder / "manifest.json").write_bytes(manifest.encode(period, 1, stated, files))
    (folder.parent / "latest").write_text("r1")


if __name__ == "__main__":
    shutil.rmtree(sys.argv[2], ignore_errors=True)
    make(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
