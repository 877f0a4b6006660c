"""The command `ratinglist lab freeze`: copy the inputs of a range of months, so that a study needs no store."""

from __future__ import annotations

import json
import shutil
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from ratinglist.errors import AlteredError, CommandLineError, NothingReadError
from ratinglist.files.durable_files import TEMPORARY_PREFIX, make_private_folder, remove_folder
from ratinglist.laboratory.frozen_months import FOLDER, MANIFEST, FrozenMonths, digests_of, held_laboratory, name_of
from ratinglist.office import ContinueFrom
from ratinglist.period import Period
from ratinglist.rating.model import by_fide_id
from ratinglist.rating.rules import RuleBook
from ratinglist.settings import Progress, Settings
from ratinglist.store.database import Store
from ratinglist.store.inputs import players_of, read_earlier_games, read_imported, read_month_inputs, read_references
from ratinglist.store.rule_files import rule_book
from ratinglist.store.table_files import ROW_GROUP
from ratinglist.summaries import Summary
from ratinglist.tables import LISTS
from ratinglist.text import counted
from ratinglist.workflows.opening import open_to_read


@dataclass(frozen=True, slots=True)
class FreezeSummary(Summary):
    """The months that were frozen: ``digest`` names them in the other commands."""

    digest: str
    folder: str
    first: str
    last: str
    family: str
    reports: int
    official_lists: int

    def text(self) -> str:
        """Return the summary on a few lines."""
        return "\n".join(
            [
                f"Frozen {self.first} to {self.last} as {self.digest}: {counted(self.reports, 'report')}, "
                f"family {self.family}",
                f"  {self.folder}",
                f"  lists of the office to compare with: {self.official_lists}",
                f"  next: ratinglist lab replay --systems {','.join(dict.fromkeys([self.family, 'club', 'glicko']))}",
            ]
        )


def freeze(settings: Settings, first: Period, last: Period) -> FreezeSummary:
    """Freeze the inputs of the lists from ``first`` to ``last``; nothing in the store is changed.

    Raises :class:`CommandLineError` where the months are in the wrong order, :class:`NothingReadError` where there is
    no list before the first, or no report for these months, and :class:`~ratinglist.errors.StoreInUseError` while
    another laboratory command runs.
    """
    if first > last:
        raise CommandLineError(f"--from {first} is after --to {last}.")
    settings.check_month(last)
    book = rule_book()
    book.of(settings.family)
    with ExitStack() as stack:
        store = stack.enter_context(open_to_read(settings))
        make_private_folder(settings.home / FOLDER)
        stack.enter_context(held_laboratory(settings.home, writes=True))
        frozen = _freeze_months(
            store,
            settings.home,
            (first, last),
            settings.family,
            book,
            settings.office.corrections.continue_from,
            settings.progress,
        )
    reports = frozen.table("reports").height
    if not reports:
        raise NothingReadError(f"No report is there for the lists of {first} to {last}: there is nothing to replay.")
    there = [month for month in frozen.months if frozen.official(month, "standard") is not None]
    return FreezeSummary(frozen.digest, str(frozen.folder), str(first), str(last), frozen.family, reports, len(there))


_AS_THEY_ARE = ("reports", "lists", "pool", "earlier_events", "system_state", "own_state", "pooled_games")
"""The frames of the inputs that are written as they are, sorted."""


def _freeze_months(
    store: Store,
    home: Path,
    months: tuple[Period, Period],
    family: str,
    rules: RuleBook,
    continue_from: ContinueFrom,
    progress: Progress,
) -> FrozenMonths:
    """Copy the inputs of the lists of ``months`` (first and last) into ``HOME/lab/<digest>``.

    The same store gives the same digest. Months that are frozen already stay as they are, and are replaced where a file
    of them was altered. Raises :class:`NothingReadError` where there is no list before the first month.
    """
    first, last = months
    inputs = read_month_inputs(store, first, family, rules, continue_from, received_before=last.first_day)
    if inputs.lists.is_empty():
        raise NothingReadError(f"There is no list before {first} to start from. Name a later month with --from.")
    every = [Period(index) for index in range(first.index, last.index + 1)]
    with store.seeing(wanted=inputs.reports.select("report_id", "start_date", "end_date")):
        references = read_references(store, [str(month) for month in every])
    temporary = home / FOLDER / f"{TEMPORARY_PREFIX}freeze"
    make_private_folder(home / FOLDER)
    shutil.rmtree(temporary, ignore_errors=True)
    make_private_folder(temporary)
    settled = inputs.earlier_events.join(inputs.reports, on="event_id", how="semi")
    progress("freezing reports", 0, 1)
    tables = {
        **{name: getattr(inputs, name) for name in _AS_THEY_ARE},
        "references": references,
        "imported": read_imported(store, str(first)),
        "withdrawn": inputs.withdrawn.to_frame("report_id"),
        "earlier_games": _freeze_reports(store, temporary, first, inputs.reports, settled),
    }
    for done, (name, rows) in enumerate(tables.items()):
        progress("freezing tables", done, len(tables))
        _write(temporary / f"{name}.parquet", _in_order(name, rows))
    report_ids = _in_order_of_reception(inputs.reports, settled)
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
        "files": digests_of(temporary),
    }
    text = json.dumps(facts, ensure_ascii=False, indent=1, sort_keys=True)
    (temporary / MANIFEST).write_text(text, encoding="utf-8")
    return _put_in_place(temporary, FrozenMonths(home / FOLDER / name_of(facts)))


def _put_in_place(temporary: Path, frozen: FrozenMonths) -> FrozenMonths:
    """Put the months that were written to ``temporary`` in their place, unless they are there and not altered."""
    make_private_folder(frozen.folder)
    if frozen.path.is_dir():
        try:
            FrozenMonths(frozen.folder).check()
        except AlteredError:
            remove_folder(frozen.path)
        else:
            remove_folder(temporary)
            return frozen
    temporary.rename(frozen.path)
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
        players = players_of(store, month).filter(~pl.col("fide_id").is_in(merged)).sort("fide_id")
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
    folders = store.current_folders([str(month)])
    if not folders:
        return {}
    files = folders[0].files()
    # Every part of a list states the digest of the whole list.
    lists = {name: files.get(f"{name}.parquet") for name in LISTS}
    return {name: str(entry["logical_sha256"]) for name, entry in lists.items() if entry is not None}


def _in_order_of_reception(reports: pl.DataFrame, settled: pl.DataFrame) -> pl.Series:
    """Return the IDs of all reports in the order in which they were received, the ``settled`` ones first.

    The rows of a month's reports are neighbours then, and no month reads those of the others.
    """
    earlier = settled.select("report_id").unique().sort("report_id")
    return pl.concat([earlier, reports.sort("received_on", "report_id").select("report_id")])["report_id"]


def _freeze_reports(
    store: Store, folder: Path, first: Period, reports: pl.DataFrame, settled: pl.DataFrame
) -> pl.DataFrame:
    """Write ``report_players.parquet`` and ``report_games.parquet``; return the games that were rated before.

    In: ``reports`` to judge, and reports that are ``settled`` and share a code with one of them. Out: ``EARLIER_GAME``
    of the games that lists before the ``first`` month rated and these reports have again. In the files, ``id_no`` is
    the place in :func:`_in_order_of_reception`.
    """
    numbered = _in_order_of_reception(reports, settled).to_frame().with_row_index("id_no")
    known = store.read("select report_id, report_no, event_id, start_date from report")
    to_judge = known.join(reports, on="report_id", how="semi")
    with store.seeing(wanted=to_judge, numbered=known.join(numbered, on="report_id").select("id_no", "report_no")):
        players = store.read(
            """
            select id_no, fide_id from current_report_player
            join numbered using (report_no) semi join wanted using (report_no)
            order by all
            """
        )
        games = store.read(
            """
            select id_no, round, date, white_id, black_id, white_halves, black_halves
            from current_report_game join numbered using (report_no)
            order by id_no, round, white_id, black_id
            """
        )
        _write(folder / "report_players.parquet", players)
        _write(folder / "report_games.parquet", games)
        return read_earlier_games(store, str(first)).unique()
