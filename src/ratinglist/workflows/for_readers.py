"""What readers get besides the published tables: clubs, the rules in force, lists to come, files in other formats.

An export reads published files alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import polars as pl

from ratinglist.errors import CommandLineError, ExportError, NothingReadError
from ratinglist.files.atomic_file import output_path, write_atomically
from ratinglist.lists.formats import (
    FORMATS,
    ExportRequest,
    PublishedLists,
    check_options,
    file_name,
    single_time_control,
)
from ratinglist.names.alike import folded, letters_to_ascii
from ratinglist.period import Period
from ratinglist.publication import revisions
from ratinglist.publication.published_files import verified_files
from ratinglist.rating.rules import shown
from ratinglist.settings import Settings
from ratinglist.store import calculations, received, table_files
from ratinglist.store.inputs import players_of
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import Facts
from ratinglist.tables import LISTED, LISTS
from ratinglist.text import counted
from ratinglist.workflows.opening import check_published, open_to_read

_AS_PUBLISHED = ("csv", "parquet")
"""The formats of the published files: they are not exported."""
_COMING_LISTS = 12


@dataclass(frozen=True, slots=True)
class ComingList:
    """A list to come: its month, and the days by which reports for it are due."""

    period: Period
    closing: Sequence[date]


@dataclass(frozen=True, slots=True)
class RuleSetShown:
    """A rule set: its name, its source, and key, value and article of each rule."""

    name: str
    source: str
    values: Sequence[tuple[str, str, str]]


def rules_in_force(family: str, period: Period) -> list[RuleSetShown]:
    """Return the rule sets in force for the lists of a month; none of a family that is not installed."""
    book = rule_book()
    return [
        RuleSetShown(
            rules.name,
            rules.source,
            [(key, shown(value), rules.articles[key]) for key, value in rules.values().items()],
        )
        for rules in (book.in_force(family, period.first_day) if family in book.families else [])
    ]


def caps_of_differences() -> dict[str, str]:
    """Return the article on the largest difference of two ratings by the name of each rule set that has one."""
    keys = ("expected_score.cap", "expected_score.cap_applies_to")
    return {rules.name: rules.articles[key] for rules in rule_book().rule_sets for key in keys if key in rules.articles}


def performance_differences(family: str) -> pl.DataFrame:
    """Return FIDE's difference of ratings ``dp`` by the ``share`` of the points in hundredths (8.1.1).

    No rows where another system than FIDE's calculates the lists of a family.
    """
    book = rule_book()
    is_fide = family in book.families and not book.is_system(family)
    differences = book.tables["performance"] if is_fide else pl.Series([], dtype=pl.Int32)
    return pl.DataFrame({"dp": differences}).with_row_index("share")


def coming_lists(family: str, newest: Period) -> list[ComingList]:
    """Return the next lists after the newest one; none of a family that is not installed."""
    book, coming = rule_book(), []
    for _ in range(_COMING_LISTS if family in book.families else 0):
        newest = book.next_list(family, newest + 1)
        coming.append(ComingList(newest, book.closing_dates(family, newest)))
    return coming


def members_of_clubs(settings: Settings, day: date) -> pl.DataFrame:
    """Return the members of clubs on a day (:data:`~ratinglist.tables.MEMBER`).

    A club whose name has a date of birth, as where a column of a file was moved, is left out with a warning.
    """
    with open_to_read(settings) as store:
        members = received.members(store)
        named = members["club"].unique().sort().to_list()
        private = [
            club for club in named if any(map(str.isdigit, club)) and received.text_problem(store, club, settings.today)
        ]
    if private:
        settings.warn(
            f"{counted(len(private), 'club')} of the register {'has' if len(private) == 1 else 'have'} a date of birth "
            "in the name and is not shown on the site: was a column of a file of players moved? Correct the clubs with "
            "ratinglist import-players"
        )
        members = members.filter(~pl.col("club").is_in(private))
    return members.filter(pl.col("member_until").is_null() | (pl.col("member_until") >= day))


def words_of_names(names: pl.Series) -> pl.Series:
    """Return the words of each name in lower-case ASCII, as a search folds them."""
    words = folded(pl.col("name")).str.replace_all(",", " ").str.split(" ")
    return names.rename("name").to_frame().select(words).to_series()


def letters_of_names(names: pl.Series) -> dict[str, str]:
    """Return the letters of names that ASCII cannot hold, each with its ASCII text."""
    return letters_to_ascii(names)


def export_every_format(settings: Settings, period: Period, controls: Sequence[str], into: Path) -> list[Path]:
    """Export a published list into a folder in every format that is not published as it is; return the files.

    A format that cannot hold the list is left out with a warning: the published files hold it.
    """
    files: list[Path] = []
    # What a format cannot keep is for the officer who exports a list, and is the same at every run.
    quiet = replace(settings, warn=lambda _: None)
    for name, list_format in FORMATS.items():
        if name in _AS_PUBLISHED:
            continue
        for control in controls if list_format.single_list_name else [None]:
            request = ExportRequest(period, name, time_control=control, zipped=bool(list_format.fide_name))
            try:
                files.append(Path(export(quiet, request, into).values["file"]))
            except (ExportError, CommandLineError, pl.exceptions.ComputeError) as error:
                settings.warn(f"the site has no {name} file of {period}: {error}")
    return files


_FEDERATIONS_SHOWN = 20


def export(settings: Settings, request: ExportRequest, out: Path | None = None) -> Facts:
    """Write the requested export to ``out``: a file, a folder (then the file has its usual name), or ``-`` for stdout.

    A file that is called ``.zip`` is a zip with the export as its one file.
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
    if out is not None and out.suffix.lower() == ".zip":
        request = replace(request, zipped=True)
    check_options(request)
    member = file_name(request)
    path = output_path(out, f"{member}.zip" if request.zipped else member)
    check_published(settings, [request.period])
    folder = revisions.chosen(settings.published, request.period, request.revision)
    published = _read_lists(folder, request)
    rows, counts = list_format.rows(published, request)
    size, sha256 = write_atomically(
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
        "bytes": size,
        "sha256": sha256,
        "counts": counts,
        "newest_list": str(max(revisions.months(settings.published), default=request.period)),
    }
    return Facts("The list was exported.", facts)


def _read_lists(folder: Path, request: ExportRequest) -> PublishedLists:
    """Read the requested part of a revision's lists; raise :class:`NothingReadError` where nobody is in it."""
    only = single_time_control(request)
    requested = [name for name in LISTS if only in (None, name)]
    manifest, _ = verified_files(folder, [f"{stem}.parquet" for stem in requested])
    existing = [name for name in LISTS if f"{name}.parquet" in manifest.files]
    tables = {name: table_files.read_table(folder, name) for name in requested if name in existing}
    if not tables:
        raise NothingReadError(
            f"{folder} has no {only or 'standard, rapid or blitz'} list; it has: {', '.join(existing) or 'none'}."
        )
    carried = tuple(name for name in LISTED.columns if all(name in rows.columns for rows in tables.values()))
    if request.federation is not None and "federation" not in carried:
        raise NothingReadError(f"{folder} has no column federation: leave --federation out.")
    # A column that the office does not publish is blank, or null if it is a number.
    lists = {name: LISTED.completed(rows, blank_texts=True) for name, rows in tables.items()}
    is_selected = pl.lit(value=True) if request.federation is None else pl.col("federation") == request.federation
    selected = {name: rows.filter(is_selected) for name, rows in lists.items()}
    if not any(rows.height for rows in selected.values()):
        raise NothingReadError(_no_players(lists, request))
    return PublishedLists(selected, carried, manifest.facts["family"])


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
        calculation = calculations.current_calculation(store, period)
        if withdrawn := calculations.withdrawal(store, period):
            raise NothingReadError(withdrawn)
        folder, family = calculation.folder, calculation.family
        state = folder.read_state().filter(pl.col("time_control") == time_control)
        if state.is_empty():
            raise NothingReadError(f"There is no {time_control} list of {period}.")
        players, system_state = players_of(store, period), folder.read_system_state()
        lists = calculations.lists_of(period, family, state, players, rule_book(), system_state)
        fields = settings.office.fields
        listed = fields.flags_without_sex(time_control, lists[time_control])
        return listed.drop(fields.left_out(time_control), strict=False)


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
