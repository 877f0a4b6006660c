"""Read what an account of a player is made from: the files of a published list, or of a calculated one.

Only these files are read, so that an account needs no store.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from ratinglist.analysis.explain import Account, Sources, account
from ratinglist.errors import CheckError
from ratinglist.messages import sentences
from ratinglist.period import Period
from ratinglist.publication import revisions
from ratinglist.publication.manifest import months_before
from ratinglist.publication.published_files import read_manifest
from ratinglist.store import table_files
from ratinglist.store.calculations import Calculation
from ratinglist.store.database import Store
from ratinglist.store.rule_files import rule_book
from ratinglist.tables import CHANGE, ENTRY, EVENT, GAME, LISTED, LISTS, POOL, UNRATED, Table, published_table

AS_CALCULATED = "as calculated"
"""What an account of a calculation calls it: the same figures may be published, or none."""


@dataclass(frozen=True, slots=True)
class ListFiles:
    """The files of one list that is explained.

    ``folder``: of a revision, or of a calculation. ``shown``: what the account calls it, such as ``r1``. ``facts``: the
    manifest of the revision, or what one would state of the calculation. ``folder_of``: returns the folder of an
    earlier list; None where it is not known.
    """

    period: Period
    folder: Path
    shown: str
    facts: Mapping[str, Any]
    folder_of: Callable[[str], Path | None]


def published_files(published: Path, period: Period, revision: str | None) -> ListFiles:
    """Return the files of a revision, such as ``r1``; by default the current one.

    Raises :class:`~ratinglist.errors.NothingReadError` where the month is not published,
    :class:`~ratinglist.errors.CommandLineError` for a wrong revision.
    """

    def folder_of(month: str) -> Path | None:
        # A list may have been calculated on one that was withdrawn since.
        return revisions.latest(published, Period.parse(month)) or revisions.newest_complete(published / month)

    folder = revisions.chosen(published, period, revision)
    return ListFiles(period, folder, folder.name, read_manifest(folder).facts, folder_of)


def calculated_files(store: Store, published: Path, calculation: Calculation) -> ListFiles:
    """Return the files of a calculation, which need not be published; earlier lists are those it was made from."""

    def folder_of(month: str) -> Path | None:
        with store.as_published([str(calculation.period)]):
            counting = store.current_folders([month])
        return counting[0].path if counting else revisions.newest_complete(published / month)

    facts = {"family": calculation.family, "inputs": calculation.inputs, "rule_sets": calculation.rule_sets}
    return ListFiles(calculation.period, calculation.folder.path, AS_CALCULATED, facts, folder_of)


def account_of(files: ListFiles, fide_id: int) -> Account:
    """Return the account of a player on a list; without parts where the list has nothing about the player.

    Raises :class:`~ratinglist.errors.CheckError` where the files contradict each other.
    """
    return account(_read(files, fide_id), rule_book(), sentences("explain"))


def _read(files: ListFiles, fide_id: int) -> Sources:
    """Read the rows of the player, of the events, and the names of the opponents."""
    folder, period, manifest = files.folder, files.period, files.facts
    left_out: dict[str, tuple[str, ...]] = {}
    is_player = pl.col("fide_id") == fide_id
    games = _rows(folder, "games", GAME, is_player, left_out)
    pool = _rows(folder, "pool", POOL, is_player, left_out)
    ids = [fide_id, *games["opponent_id"].drop_nulls().unique().sort().to_list()]
    listed = {
        name: _rows(folder, name, LISTED, pl.col("fide_id").is_in(ids), left_out)
        for name in LISTS
        if table_files.has_table(folder, name)
    }
    unrated = _rows(folder, "unrated", UNRATED, pl.col("fide_id").is_in(ids), left_out)
    months = months_before(manifest, period)
    current = {month: files.folder_of(month) for month in sorted(set(months.values()))}
    folders = {name: found for name, month in months.items() if (found := current[month]) is not None}
    ignored: dict[str, tuple[str, ...]] = {}
    before = {
        name: _rows(before_folder, name, LISTED, pl.col("fide_id").is_in(ids), ignored)
        for name, before_folder in folders.items()
        if table_files.has_table(before_folder, name)
    }
    earlier_pool = pl.concat(
        [
            POOL.empty(),
            *[
                _rows(before_folder, "pool", POOL, is_player & (pl.col("time_control") == name), ignored)
                for name, before_folder in folders.items()
            ],
        ]
    )
    return Sources(
        period=period,
        revision=files.shown,
        fide_id=fide_id,
        manifest=manifest,
        lists={name: rows.filter(is_player) for name, rows in listed.items()},
        before={name: rows.filter(is_player) for name, rows in before.items()},
        before_months=months,
        unrated=unrated.filter(is_player),
        names=_names([*before.values(), unrated, *listed.values()]),
        changes=_rows(folder, "changes", CHANGE, is_player, left_out),
        games=games,
        entries=_rows(folder, "entries", ENTRY, is_player, left_out),
        pool=pool,
        earlier_pool=earlier_pool,
        events=_events(files, games, pl.concat([pool, earlier_pool]), left_out),
        left_out=left_out,
    )


def _rows(folder: Path, stem: str, table: Table, which: pl.Expr, left_out: dict[str, tuple[str, ...]]) -> pl.DataFrame:
    """Read the rows of a published table for which ``which`` holds, with every column of the table.

    ``folder``: of the revision. A family of another system than FIDE's has more columns in some tables. Adds the
    columns that the file lacks to ``left_out``. Raises :class:`CheckError` where the table is missing.
    """
    if not table_files.has_table(folder, stem):
        path = folder / f"{stem}.parquet"
        raise CheckError(f"{path} is missing: the published files were changed. Check: ratinglist verify {folder}")
    rows = table_files.scan_table(folder, stem).filter(which).collect()
    whole = published_table(stem, rows.schema)
    missing = tuple(name for name in whole.columns if name not in rows.columns)
    if missing:
        left_out["lists" if table is LISTED else table.name] = missing
    return whole.completed(rows)


def _events(
    files: ListFiles, games: pl.DataFrame, waiting: pl.DataFrame, left_out: dict[str, tuple[str, ...]]
) -> pl.DataFrame:
    """Read the events of the games and of the waiting results; the latter are in the list that counted them."""
    ids = pl.concat([games["event_id"], waiting["event_id"]]).unique()
    which = pl.col("event_id").is_in(ids.implode())
    parts = [_rows(files.folder, "events", EVENT, which, left_out)]
    for month in waiting["counted_month"].drop_nulls().unique().sort().to_list():
        other = files.folder_of(month)
        if other is not None and other != files.folder:
            parts.append(_rows(other, "events", EVENT, which, {}))
    return pl.concat(parts).unique("event_id", keep="first", maintain_order=True)


def _names(tables: list[pl.DataFrame]) -> dict[int, str]:
    """Return FIDE ID to name; the later table wins."""
    rows = pl.concat(one.select("fide_id", "name") for one in (LISTED.empty(), *tables)).drop_nulls("name")
    return dict(zip(rows["fide_id"].to_list(), rows["name"].to_list(), strict=True))
