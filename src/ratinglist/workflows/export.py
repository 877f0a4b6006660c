"""Lists as files and as rows: a published revision in a list format, and the newest calculation of a list.

An export reads published files alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import polars as pl

from ratinglist.errors import NothingReadError
from ratinglist.files.atomic_file import output_path, write_atomically
from ratinglist.lists.formats import (
    FORMATS,
    ExportRequest,
    PublishedLists,
    check_options,
    file_name,
    select_players,
    single_time_control,
)
from ratinglist.period import Period
from ratinglist.publication import revisions
from ratinglist.publication.published_files import verified_files
from ratinglist.rating import rating_list
from ratinglist.settings import Settings
from ratinglist.store import calculations, table_files
from ratinglist.store.inputs import players_of
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import Facts
from ratinglist.tables import LISTED, LISTS
from ratinglist.workflows.opening import check_published, open_to_read

_FEDERATIONS_SHOWN = 20


def export(settings: Settings, request: ExportRequest, out: Path | None = None) -> Facts:
    """Write the requested export to ``out``: a file, a folder (then the file has its usual name), or ``-`` for stdout.

    Default: the usual name in the current folder. Raises :class:`CommandLineError` if options contradict each other or
    the path is not allowed, :class:`NothingReadError` if there is nothing to export, :class:`AlteredError` if a
    published file was altered, and :class:`ExportError` if the format cannot hold a value. Then nothing is written.

    Out: ``file``, ``format``, ``month``, ``revision``; ``rows``: players, in a table of several lists players and time
    controls; ``bytes``, ``sha256``; ``counts``: by kind, what the format could not keep, without the kinds that it does
    not have; ``newest_list``: the month of the newest published list.
    """
    if request.federation is not None:
        request = replace(request, federation=request.federation.upper())
    list_format = FORMATS[request.format]
    if out is not None and out.suffix.lower() == ".zip" and list_format.fide_name:
        request = replace(request, zipped=True)
    check_options(request)
    member = file_name(request)
    path = output_path(out, f"{member}.zip" if request.zipped else member)
    check_published(settings, [request.period])
    folder = revisions.chosen(settings.published, request.period, request.revision)
    published = _read_lists(folder, request)
    if not any(rows.height for rows in published.selected.values()):
        raise NothingReadError(_no_players(published.lists, request))
    rows, counts = list_format.rows(published, request)
    written = write_atomically(
        path,
        lambda temporary: list_format.write(temporary, rows, request),
        member if request.zipped else None,
    )
    facts = {
        "file": str(path),
        "format": request.format,
        "month": str(request.period),
        "revision": folder.name,
        "rows": rows.height,
        "bytes": written.bytes,
        "sha256": written.sha256,
        "counts": counts,
        "newest_list": str(max(revisions.months(settings.published), default=request.period)),
    }
    return Facts("The list was exported.", facts)


def _read_lists(folder: Path, request: ExportRequest) -> PublishedLists:
    """Read the requested lists of a revision; raise :class:`NothingReadError` where there are none."""
    only = single_time_control(request)
    requested = [name for name in LISTS if only in (None, name)]
    manifest, _ = verified_files(folder, [f"{stem}.parquet" for stem in requested])
    existing = [name for name in LISTS if f"{name}.parquet" in manifest.files]
    found = {name: table_files.read_table(folder, name) for name in requested if name in existing}
    if not found:
        raise NothingReadError(
            f"{folder} has no {only or 'standard, rapid or blitz'} list; it has: {', '.join(existing) or 'none'}."
        )
    carried = tuple(name for name in LISTED.columns if all(name in rows.columns for rows in found.values()))
    if request.federation is not None and "federation" not in carried:
        raise NothingReadError(f"{folder} has no column federation: leave --federation out.")
    # A column that the office does not publish is blank, or null if it is a number.
    lists = {name: LISTED.completed(rows, blank_texts=True) for name, rows in found.items()}
    return PublishedLists(
        lists=lists,
        selected=select_players(lists, request.federation, request.top),
        carried=carried,
        family=manifest.facts["family"],
    )


def _no_players(lists: Mapping[str, pl.DataFrame], request: ExportRequest) -> str:
    codes = sorted(set().union(*(rows["federation"].unique().to_list() for rows in lists.values())))
    more = ", ..." if len(codes) > _FEDERATIONS_SHOWN else ""
    named = ", ".join(code or "(blank)" for code in codes[:_FEDERATIONS_SHOWN]) + more
    requested = request.federation or "any federation"
    return f"The list of {request.period} has no player of {requested}; it has players of: {named or 'none'}."


def known_list(settings: Settings, period: Period, time_control: str) -> pl.DataFrame:
    """Return the newest calculation of a month's list.

    Out: :data:`~ratinglist.tables.LISTED`, without the columns that the office leaves out. Raises
    :class:`NothingReadError` where no list of that month and time control was calculated, and where it was withdrawn.
    """
    with open_to_read(settings) as store:
        known = [calculation for calculation in store.log.history.calculations if calculation.month == str(period)]
        if not known and calculations.is_imported(store, period):
            raise NothingReadError(
                f"The list of {period} was imported, not calculated here: see the file it came from."
            )
        if not known:
            raise NothingReadError(f"The list of {period} was not calculated: ratinglist rate {period}")
        if withdrawn := calculations.withdrawal(store, period):
            raise NothingReadError(withdrawn)
        state = store.folder(period, known[-1].number).read_state().filter(pl.col("time_control") == time_control)
        players = players_of(store, period)
        rule_set = rule_book().on(known[-1].facts["family"], time_control, period.first_day)
        if state.is_empty() or rule_set is None:
            raise NothingReadError(f"There is no {time_control} list of {period}.")
        rows = rating_list.published_list(state, players, period, rule_set)
        return rows.drop(settings.office.fields.left_out(time_control), strict=False)


def month_changes(settings: Settings, period: Period) -> pl.DataFrame | None:
    """Return the players whom the calculation of a month rates, enters or delists, with their names.

    Out: the columns of the published table ``changes``, ``name`` and ``federation``, the largest changes first. None
    where the month is not calculated.
    """
    with open_to_read(settings) as store:
        calculation = calculations.calculation(store, period)
        if calculation is None:
            return None
        players = players_of(store, period).select("fide_id", "name", "federation")
        changes = calculation.folder.read_table("changes")
    return changes.join(players, on="fide_id", how="left").sort(
        pl.col("change").abs(), "time_control", "fide_id", descending=[True, False, False], nulls_last=True
    )
