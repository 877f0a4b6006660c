"""The command `ratinglist explain`: a player's account, of the newest list by default.

The account of a published list reads published files only; the store is read for a player about whom the list has
nothing, and for a list that is calculated and not published.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from ratinglist.analysis.explain import Account, Sources, account
from ratinglist.analysis.report_states import without_replaced_versions
from ratinglist.errors import NothingReadError
from ratinglist.messages import EVENT_REASONS, as_answer, why
from ratinglist.period import Period
from ratinglist.publication import revisions
from ratinglist.publication.manifest import months_before
from ratinglist.publication.published_files import read_manifest
from ratinglist.settings import Settings
from ratinglist.store import calculations, table_files
from ratinglist.store.database import Store
from ratinglist.store.rule_files import rule_book
from ratinglist.tables import LISTED, LISTS, POOL, UNRATED, published_table
from ratinglist.workflows.find import find
from ratinglist.workflows.opening import check_published, open_to_read

AS_CALCULATED = "as calculated"
"""What an account of a calculation calls it: the same figures may be published, or none."""


@dataclass(frozen=True, slots=True)
class _ListFiles:
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


def _published_files(published: Path, period: Period, revision: str | None) -> _ListFiles:
    """Return the files of a revision, such as ``r1``; by default the current one.

    Raises :class:`~ratinglist.errors.NothingReadError` where the month is not published,
    :class:`~ratinglist.errors.CommandLineError` for a wrong revision.
    """

    def folder_of(month: str) -> Path | None:
        # A list may have been calculated on one that was withdrawn since.
        return revisions.latest(published, Period.parse(month)) or revisions.newest_complete(published / month)

    folder = revisions.chosen(published, period, revision)
    return _ListFiles(period, folder, folder.name, read_manifest(folder).facts, folder_of)


def _calculated_files(store: Store, published: Path, calculation: calculations.FiledCalculation) -> _ListFiles:
    """Return the files of a calculation, which need not be published; earlier lists are those it was made from."""

    def folder_of(month: str) -> Path | None:
        with store.as_published([str(calculation.period)]):
            counting = store.current_folders([month])
        return counting[0].path if counting else revisions.newest_complete(published / month)

    facts = {"family": calculation.family, "inputs": calculation.inputs, "rule_sets": calculation.facts["rule_sets"]}
    return _ListFiles(calculation.period, calculation.folder.path, AS_CALCULATED, facts, folder_of)


class NothingAboutPlayerError(NothingReadError):
    """The list has no rating, no game and no waiting result of the player."""


def explain_player(
    settings: Settings,
    fide_id: int,
    period: Period | None = None,
    revision: str | None = None,
) -> Account:
    """Explain the ratings of a player.

    ``period``: by default the newest published month. Of a FIDE ID about which that list has nothing, the account is
    that of the one it was merged into; else it is from the store: the state, and what became of the reports with the
    player. Raises what :func:`explain` raises.
    """
    month = period or max(revisions.months(settings.published), default=None)
    if month is None:
        return _unlisted(settings, fide_id, None, None)
    try:
        return explain(settings, fide_id, month, revision)
    except NothingAboutPlayerError:
        if not settings.store.is_file():
            raise
        return _unlisted(settings, fide_id, month, revision)


def _unlisted(settings: Settings, fide_id: int, month: Period | None, revision: str | None) -> Account:
    player = find(settings, str(fide_id), 1).players[0]
    if player.fide_id != fide_id:
        return explain_player(settings, player.fide_id, month, revision)
    with open_to_read(settings) as store:
        rows = store.read(
            """
            select report_status.*
            from report_status semi join (
                select report_id from current_report_player join report using (report_no) where fide_id = $player
            ) using (report_id)
            where $month is null or list_month is null or list_month <= $month
            order by start_date desc, event_id, received_on, report_id
            """,
            player=player.fide_id,
            month=str(month) if month else None,
        )
        reports = without_replaced_versions(store, rows).to_dicts()
    shown = revision or (revisions.chosen(settings.published, month, None).name if month else None)
    data = {name: getattr(player, name) for name in ("fide_id", "name", "federation", "state")}
    known = {
        "state_text": player.state_text(),
        "ratings": player.ratings,
        "reports": [_report(report) for report in reports],
    }
    return Account({"month": str(month) if month else None, "revision": shown, **data, **known})


def _report(row: Mapping[str, Any]) -> dict[str, object]:
    """Return a report of the player; in: a row of the view ``report_status``."""
    reason = EVENT_REASONS.get(row["reason"])
    return {
        **{name: row[name] for name in ("event_id", "name", "status", "list_month")},
        "file": row["file_name"],
        "why": why(row["status"], row["reason"]),
        "remedy": as_answer(reason.remedy) if reason else "",
    }


def explain(settings: Settings, fide_id: int, period: Period, revision: str | None = None) -> Account:
    """Explain a player's ratings of a published list; ``revision`` such as ``r1``, by default the current one.

    Raises :class:`NothingReadError` where the month is not published, :class:`NothingAboutPlayerError` where it has
    nothing about the player,
    :class:`CommandLineError` for a wrong revision, and :class:`CheckError` where the published files contradict each
    other.
    """
    check_published(settings)
    try:
        files = _published_files(settings.published, period, revision)
    except NothingReadError as error:
        raise NothingReadError(_of_unpublished(settings, fide_id, period, str(error))) from None
    return _of_list(files, fide_id)


def _of_unpublished(settings: Settings, fide_id: int, period: Period, error: str) -> str:
    """Return the message for a month without a published list, and how to see the account if it is calculated."""
    with open_to_read(settings) as store:
        if str(period) in store.log.history.standing_calculations():
            return f"{error} It is calculated: ratinglist explain {fide_id} {period} --preview"
        if not calculations.is_imported(store, period):
            return error
        return (
            f"{error} That of {period} was imported: what is known of the player then stands in the file it came from."
        )


def explain_calculated(settings: Settings, fide_id: int, period: Period | None = None) -> Account:
    """Explain a player's ratings of a calculated list, published or not; by default of the newest one calculated.

    Raises :class:`NothingReadError` where the list was not calculated, or has nothing about the player.
    """
    with open_to_read(settings) as store:
        months = calculations.months_from(store, period or Period(0))
        if period is None and not months:
            raise NothingReadError("No list was calculated yet: ratinglist rate YYYY-MM")
        calculation = calculations.current_calculation(store, period or months[-1])
        files = _calculated_files(store, settings.published, calculation)
        try:
            return _of_list(files, fide_id)
        except NothingAboutPlayerError:
            for (now_id,) in store.rows("select now_id from current_identity where fide_id = $id", id=fide_id):
                return _of_list(files, now_id)
            raise


def _of_list(files: _ListFiles, fide_id: int) -> Account:
    """Return the account of a player on a list; raise where it has nothing about the player."""
    explained, period = account(_read(files, fide_id), rule_book()), files.period
    if not explained.content["time_controls"]:
        raise NothingAboutPlayerError(
            f"Player {fide_id} is not on the list of {period} ({files.shown}), played no game considered for it, and "
            "has no result that waits. Check the FIDE ID, and the month: a game counts for the list its event was in "
            "time for. Status of an event: ratinglist event EVENT_ID; refused reports: ratinglist quarantine"
        )
    return explained


def _read(files: _ListFiles, fide_id: int) -> Sources:
    """Read the rows of the player, of the events, and the names of the opponents."""
    folder, period, manifest = files.folder, files.period, files.facts
    left_out = revisions.left_out(folder).as_dict()
    is_player = pl.col("fide_id") == fide_id
    games = _rows(folder, "games", is_player)
    pool = _rows(folder, "pool", is_player)
    ids = [fide_id, *games["opponent_id"].drop_nulls().unique().sort().to_list()]
    listed = {
        name: _rows(folder, name, pl.col("fide_id").is_in(ids)) for name in LISTS if table_files.has_table(folder, name)
    }
    unrated = _rows(folder, "unrated", pl.col("fide_id").is_in(ids))
    months = months_before(manifest, period)
    current = {month: files.folder_of(month) for month in sorted(set(months.values()))}
    folders = {name: revision for name, month in months.items() if (revision := current[month]) is not None}
    before = {
        name: _rows(before_folder, name, pl.col("fide_id").is_in(ids))
        for name, before_folder in folders.items()
        if table_files.has_table(before_folder, name)
    }
    earlier_pool = pl.concat(
        [
            POOL.empty(),
            *[
                _rows(before_folder, "pool", is_player & (pl.col("time_control") == name))
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
        changes=_rows(folder, "changes", is_player),
        games=games,
        entries=_rows(folder, "entries", is_player),
        pool=pool,
        earlier_pool=earlier_pool,
        events=_events(files, games, pl.concat([pool, earlier_pool])),
        left_out={name: out for name, out in left_out.items() if name in ("lists", UNRATED.name)},
    )


def _rows(folder: Path, stem: str, which: pl.Expr) -> pl.DataFrame:
    """Read the rows of a published table for which ``which`` holds, with every column of the table.

    ``folder``: of the revision. A family of another system than FIDE's has more columns in some tables.
    """
    rows = table_files.scan_table(folder, stem).filter(which).collect()
    return published_table(stem, rows.schema).completed(rows)


def _events(files: _ListFiles, games: pl.DataFrame, waiting: pl.DataFrame) -> pl.DataFrame:
    """Read the events of the games and of the waiting results; the latter are in the list that counted them."""
    ids = pl.concat([games["event_id"], waiting["event_id"]]).unique()
    which = pl.col("event_id").is_in(ids.implode())
    parts = [_rows(files.folder, "events", which)]
    for month in waiting["counted_month"].drop_nulls().unique().sort().to_list():
        other = files.folder_of(month)
        if other is not None and other != files.folder:
            parts.append(_rows(other, "events", which))
    return pl.concat(parts).unique("event_id", keep="first", maintain_order=True)


def _names(tables: list[pl.DataFrame]) -> dict[int, str]:
    """Return FIDE ID to name; the later table wins."""
    rows = pl.concat(table.select("fide_id", "name") for table in (LISTED.empty(), *tables)).drop_nulls("name")
    return dict(zip(rows["fide_id"].to_list(), rows["name"].to_list(), strict=True))
