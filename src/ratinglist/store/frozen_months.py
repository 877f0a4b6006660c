"""The inputs of a range of months, frozen in a folder: what the laboratory replays without the store.

::

    HOME/lab/<digest>/frozen/       written once; the digest of ``frozen.json`` names it
        frozen.json                 first and last month, family, official lists, sha256 of every file
        reports.parquet, ...        what :class:`~ratinglist.rating.model.MonthInputs` has of all these months
        players/2025-09.parquet     the players that are new or changed since the month before
        official/2025-09.parquet    the list of the office: time control, FIDE ID, rating

Births are among it, so the folder is private and stays in the home.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from ratinglist import schemas
from ratinglist.canonical_json import digest_of
from ratinglist.durable_files import TEMPORARY_PREFIX, remove_folder, sha256_of
from ratinglist.errors import AlteredError, CommandLineError, NothingReadError
from ratinglist.office import ContinueFrom
from ratinglist.period import Period
from ratinglist.private_files import make_private_folder
from ratinglist.rating.model import by_fide_id
from ratinglist.rating.rules import RuleBook
from ratinglist.store import player_history, table_parts
from ratinglist.store.database import Store
from ratinglist.store.frozen_reports import Progress, freeze_reports, in_order_of_reception
from ratinglist.store.month_inputs import read_month_inputs
from ratinglist.store.system_inputs import read_references
from ratinglist.store.table_files import ROW_GROUP

FOLDER = "lab"
"""The folder of a home that has the frozen months and what was replayed from them."""

_MANIFEST = "frozen.json"
_AS_THEY_ARE = ("reports", "lists", "pool", "earlier_events", "system_state", "pooled_games")
"""The frames of the inputs that are written as they are, sorted."""
_DIGITS = 16


@dataclass(frozen=True)
class FrozenMonths:
    """Frozen months, by the folder ``HOME/lab/<digest>``; every table is read when it is needed."""

    folder: Path

    @cached_property
    def facts(self) -> dict[str, Any]:
        """Return what ``frozen.json`` states."""
        found: dict[str, Any] = json.loads((self.folder / "frozen" / _MANIFEST).read_text(encoding="utf-8"))
        return found

    @property
    def digest(self) -> str:
        """Return the name of the folder."""
        return self.folder.name

    @property
    def family(self) -> str:
        """Return the family of the office's lists."""
        return str(self.facts["family"])

    @property
    def months(self) -> list[Period]:
        """Return the months that are replayed, the first one first."""
        first, last = (Period.parse(self.facts[name]) for name in ("first", "last"))
        return [Period(index) for index in range(first.index, last.index + 1)]

    def table(self, name: str) -> pl.DataFrame:
        """Return a table of all the months."""
        return pl.read_parquet(self._path(f"{name}.parquet"), glob=False)

    @cached_property
    def report_ids(self) -> pl.Series:
        """Return every report ID in the order of reception; a frozen table has its position as ``id_no``."""
        return pl.Series("report_id", self.facts["report_ids"], dtype=pl.String)

    def of_reports(self, name: str, report_ids: pl.Series) -> pl.DataFrame:
        """Return the rows of ``report_players`` or ``report_games`` of some reports; ``report_id`` is an Enum."""
        numbers = self.report_ids.to_frame().with_row_index("id_no")
        wanted = numbers.filter(pl.col("report_id").is_in(report_ids.implode()))["id_no"]
        scan = pl.scan_parquet(self._path(f"{name}.parquet"), glob=False)
        if wanted.is_empty():
            # Its range is no range, and every row group would be read.
            scan = scan.head(0)
        # The range first: it skips the row groups of other months.
        in_range = pl.col("id_no").is_between(wanted.min(), wanted.max())
        rows = scan.filter(in_range).filter(pl.col("id_no").is_in(wanted.implode())).collect()
        report_id = self.report_ids.cast(pl.Enum(self.report_ids)).gather(rows["id_no"])
        return rows.drop("id_no").insert_column(0, report_id.alias("report_id"))

    def players(
        self, period: Period, before: pl.DataFrame | None, columns: Sequence[str] | None = None
    ) -> pl.DataFrame:
        """Return the players as the list of a month knows them (``PLAYER``); ``before``: those of the month before.

        ``columns``: ``fide_id`` and those that are needed, the same every month; default: all.
        """
        path = self._path(f"players/{period}.parquet")
        rows = by_fide_id(pl.read_parquet(path, glob=False, columns=None if columns is None else list(columns)))
        if before is None or str(period) in self.facts["complete_players"]:
            return rows
        if rows.is_empty():
            return before
        return by_fide_id(pl.concat([before.join(rows, on="fide_id", how="anti"), rows]))

    def official(self, period: Period, time_control: str) -> pl.DataFrame | None:
        """Return ``fide_id`` and ``rating`` of the office's own list; None where there is none."""
        path = self._path(f"official/{period}.parquet")
        if not path.is_file():
            return None
        rows = pl.read_parquet(path, glob=False).filter(pl.col("time_control") == time_control)
        return by_fide_id(rows.select("fide_id", "rating")) if rows.height else None

    def official_digest(self, period: Period, time_control: str) -> str | None:
        """Return the logical sha256 of the office's list as its manifest states it; None where it was imported."""
        found: str | None = self.facts["list_digests"].get(str(period), {}).get(time_control)
        return found

    def check(self) -> None:
        """Raise :class:`AlteredError` where a file is missing or was altered."""
        for name, digest in self.facts["files"].items():
            path = self._path(name)
            if not path.is_file() or sha256_of(path) != digest:
                raise AlteredError(
                    f"{path} is missing or was altered since the months were frozen. Delete {self.folder} and freeze "
                    "the months again: ratinglist lab freeze"
                )

    def _path(self, name: str) -> Path:
        return self.folder / "frozen" / name


def freeze(
    store: Store,
    home: Path,
    months: tuple[Period, Period],
    family: str,
    rules: RuleBook,
    continue_from: ContinueFrom,
    progress: Progress,
) -> FrozenMonths:
    """Copy the inputs of the lists of ``months`` (first and last) into ``HOME/lab/<digest>``.

    The same store gives the same digest; months that are frozen already stay as they are. Raises
    :class:`NothingReadError` where there is no list before the first month.
    """
    first, last = months
    inputs = read_month_inputs(
        store, first, family, rules, continue_from, received_before=last.first_day, without_rows=True
    )
    if inputs.lists.is_empty():
        raise NothingReadError(f"There is no list before {first} to start from. Name a later month with --from.")
    every = [Period(index) for index in range(first.index, last.index + 1)]
    with store.seeing(wanted=inputs.reports.select("report_id", "start_date")):
        references = read_references(store, [str(month) for month in every])
    temporary = home / FOLDER / f"{TEMPORARY_PREFIX}freeze"
    make_private_folder(home / FOLDER)
    shutil.rmtree(temporary, ignore_errors=True)
    make_private_folder(temporary)
    settled = inputs.earlier_events.join(inputs.reports, on="event_id", how="semi")
    tables = {
        **{name: getattr(inputs, name) for name in _AS_THEY_ARE},
        "references": references,
        "withdrawn": inputs.withdrawn.to_frame("report_id"),
        "earlier_games": freeze_reports(store, temporary, every, inputs.reports, settled, progress),
    }
    for done, (name, rows) in enumerate(tables.items()):
        progress("freezing tables", done, len(tables))
        _write(temporary / f"{name}.parquet", _in_order(name, rows))
    report_ids = in_order_of_reception(inputs.reports, settled)
    del tables, inputs
    complete = _freeze_players(store, temporary / "players", every, progress)
    _freeze_lists(store, temporary / "official", [first - 1, *every], progress)
    facts = {
        "first": str(first),
        "last": str(last),
        "family": family,
        "report_ids": report_ids.to_list(),
        "complete_players": complete,
        "list_digests": {str(month): found for month in every if (found := _list_digests(store, month))},
        "files": {
            path.relative_to(temporary).as_posix(): sha256_of(path) for path in sorted(temporary.rglob("*.parquet"))
        },
    }
    text = json.dumps(facts, ensure_ascii=False, indent=1, sort_keys=True)
    (temporary / _MANIFEST).write_text(text, encoding="utf-8")
    folder = home / FOLDER / digest_of(facts)[:_DIGITS]
    if (folder / "frozen").is_dir():
        remove_folder(temporary)
    else:
        make_private_folder(folder)
        temporary.rename(folder / "frozen")
    return FrozenMonths(folder)


def frozen_months(home: Path, digest: str | None) -> FrozenMonths:
    """Return the frozen months whose digest begins with ``digest``; None: the only ones there are.

    Raises :class:`NothingReadError` where there are none, :class:`CommandLineError` where several could be meant, and
    :class:`AlteredError` where a file is not what was frozen.
    """
    there = sorted(path.parent.parent for path in (home / FOLDER).glob(f"*/frozen/{_MANIFEST}"))
    found = [path for path in there if digest is None or path.name.startswith(digest)]
    if not there:
        raise NothingReadError("No months are frozen. Freeze some: ratinglist lab freeze --from YYYY-MM --to YYYY-MM")
    if len(found) != 1:
        names = ", ".join(
            f"{one.digest} ({one.facts['first']} to {one.facts['last']})" for one in map(FrozenMonths, there)
        )
        raise CommandLineError(f"Say with --frozen which of the frozen months you mean: {names}.")
    frozen = FrozenMonths(found[0])
    frozen.check()
    return frozen


def _in_order(name: str, rows: pl.DataFrame) -> pl.DataFrame:
    """Return a table in an order that does not depend on the threads of the store."""
    if name == "lists":
        return rows.sort("time_control", "month", "fide_id")
    return rows.sort(pl.all())


def _write(path: Path, rows: pl.DataFrame) -> None:
    rows.rechunk().write_parquet(path, row_group_size=ROW_GROUP)


def _freeze_players(store: Store, folder: Path, months: list[Period], progress: Progress) -> list[str]:
    """Write the players of each month that are new or changed; return the months that are written complete."""
    folder.mkdir()
    merged = store.read("select fide_id from current_identity")["fide_id"].implode()
    before: pl.DataFrame | None = None
    complete = []
    for done, month in enumerate(months):
        progress("freezing players", done, len(months))
        players = player_history.players_of(store, month).filter(~pl.col("fide_id").is_in(merged)).sort("fide_id")
        rows = players
        if before is not None and before.join(players, on="fide_id", how="anti").is_empty():
            rows = _new_or_changed(players, before)
        else:
            complete.append(str(month))
        _write(folder / f"{month}.parquet", rows)
        before = players
    return complete


def _new_or_changed(players: pl.DataFrame, before: pl.DataFrame) -> pl.DataFrame:
    """Return the ``players`` that are not among those ``before``, or not with the same data; both sorted by FIDE ID.

    Every player before is among the ``players``.
    """
    is_new = ~players["fide_id"].is_in(before["fide_id"].implode())
    there = players.filter(~is_new)
    is_changed = pl.any_horizontal(there[name].ne_missing(before[name]) for name in players.columns)
    changed = there.filter(is_changed)
    return by_fide_id(pl.concat([players.filter(is_new), changed]))


def _freeze_lists(store: Store, folder: Path, months: list[Period], progress: Progress) -> None:
    """Write the ratings of the office's list of each month that has one."""
    folder.mkdir()
    for done, month in enumerate(months):
        progress("freezing official lists", done, len(months))
        rows = store.read(
            """
            select time_control, fide_id, rating
            from list_to_stand_on semi join standing_list using (month, time_control)
            where basis = 'corrected' and month = $month and rating is not null
            order by all
            """,
            month=str(month),
        )
        if rows.height:
            _write(folder / f"{month}.parquet", rows)


def _list_digests(store: Store, month: Period) -> dict[str, str]:
    """Return the logical sha256 of the lists that the office calculated for a month, by time control."""
    if not store.finds_rows("select 1 from standing_calculation where month = $month", month=str(month)):
        return {}
    files = store.current_folders([str(month)])[0].files()
    # Every part of a list states the digest of the whole list.
    first = {name: next(iter(table_parts.names_of(name, files)), None) for name in schemas.LISTS}
    return {name: str(files[file]["logical_sha256"]) for name, file in first.items() if file is not None}
