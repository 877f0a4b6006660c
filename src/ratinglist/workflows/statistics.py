"""The command `ratinglist statistics`: statistics of a published list, and the flow of points since an earlier one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path

import polars as pl

from ratinglist.analysis import inflation, list_statistics
from ratinglist.analysis.statistics_document import statistics_document
from ratinglist.errors import CheckError, CommandLineError, NothingReadError
from ratinglist.files.atomic_file import output_path, write_atomically, write_text_atomically
from ratinglist.lists import list_reader
from ratinglist.pages.facts import Facts, frame_table
from ratinglist.pages.html_pages import as_page
from ratinglist.period import Period
from ratinglist.publication import revisions
from ratinglist.rating.rules import SystemRuleSet
from ratinglist.rating.systems.categories import CATEGORIES
from ratinglist.rating.systems.registry import SYSTEMS
from ratinglist.settings import LOG, Settings
from ratinglist.store import table_files
from ratinglist.store.database import Store
from ratinglist.store.rule_files import rule_book
from ratinglist.store.table_files import write_table
from ratinglist.summaries import Summary
from ratinglist.tables import LISTS, Table
from ratinglist.text import counted
from ratinglist.workflows.opening import open_to_read

BORN_AFTER = 1980
PAGE = "statistics.html"
TABLES = {
    table.name: table
    for table in (
        list_statistics.GROUP_TABLE,
        list_statistics.BAND_TABLE,
        list_statistics.BIRTH_YEAR_TABLE,
        list_statistics.FLOW_TABLE,
        inflation.INFLATION_TABLE,
        list_statistics.REFERENCE_TABLE,
    )
}
"""The tables that are written, by the stem of the file."""


@dataclass(frozen=True, slots=True)
class StatisticsSummary(Summary):
    """What was written. ``tables``: the rows by the stem of the file; ``notes``: what could not be calculated."""

    month: str
    revision: str
    folder: str
    files: list[str]
    tables: dict[str, pl.DataFrame]
    notes: list[str]

    def text(self) -> str:
        """Return the numbers of each list and the flow as text."""
        lines = [f"List of {self.month} ({self.revision}): {counted(len(self.files), 'file')} in {self.folder}"]
        of_all = self.tables["groups"].filter(pl.col("grouping") == "all")
        figures = ("time_control", "players", "mean_hundredths", "deviation_hundredths")
        lines += ["", *frame_table(of_all.select(figures)), "", *frame_table(self.tables["flow"])]
        return "\n".join([*lines, *(f"  note: {note}" for note in self.notes)])


def pooled(groups: Sequence[tuple[int, int, int]]) -> Facts:
    """Return the figures of several groups together; in: number, mean and standard deviation of each."""
    players, mean, deviation = list_statistics.pooled(groups)
    title = f"{len(groups)} groups together, {players:,} players"
    return Facts(title, {"title": title, "mean": mean / 100, "standard_deviation": deviation / 100})


@dataclass(frozen=True, slots=True)
class _Series:
    """The lists of one time control, by month: ``fide_id`` and ``rating``.

    ``folders``: the revisions that are published, from :data:`~ratinglist.analysis.inflation.LISTS_LATER` lists before
    the first one on: who entered with those is looked at again in the series.
    """

    lists: dict[Period, pl.DataFrame]
    folders: dict[Period, Path]


def statistics(
    settings: Settings,
    period: Period,
    *,
    against: Period | None = None,
    first: Period | None = None,
    reference: Path | None = None,
    born_after: int = BORN_AFTER,
    by: str | None = None,
    out: Path | None = None,
) -> StatisticsSummary:
    """Calculate the statistics of a published list, and write them to a folder as Parquet and as a page with charts.

    ``against``: the earlier list of the flow; default: the newest before. ``first``: the first list of the series;
    default: 12 lists before ``period``, or the oldest known after that. Imported lists count as published ones do.
    ``by``: ``category`` adds the groups by the category that the system of the list keeps of its players.
    ``reference``: a file of another list to compare with, in any format of ``import-list``. ``out``: default
    ``statistics-YYYY-MM`` in the current folder; files of an earlier run are replaced. A copy of ``published/`` alone
    has no imported lists.

    Raises :class:`NothingReadError` where a list is not known, :class:`CommandLineError` where ``out`` cannot be used,
    :class:`CheckError` where the published files contradict each other. Then nothing is written.
    """
    folder = Path(f"statistics-{period}") if out is None else out
    if folder.exists() and not folder.is_dir():
        raise CommandLineError(f"{folder} is not a folder: name one with --out.")
    if not folder.absolute().parent.is_dir():
        raise CommandLineError(f"{folder.parent} is not a folder: make it, or name another one with --out.")
    output_path(folder if folder.is_dir() else folder.parent, PAGE, settings.home)
    start = period - inflation.LISTS_LATER if first is None else first
    if max(start, against or start) >= period:
        raise CommandLineError(f"--against and --from name a list before {period}.")
    notes: list[str] = []
    found: dict[str, list[pl.DataFrame]] = {name: [] for name in TABLES}
    is_copy = not (settings.home / LOG).is_dir() and settings.published.is_dir()
    with nullcontext() if is_copy else open_to_read(settings, shows_published=True) as store:
        revision = revisions.chosen(settings.published, period, None)
        for control in (name for name in LISTS if table_files.has_table(revision, name)):
            settings.progress(f"reading {control}", 0, 1)
            series = _series(store, settings.published, control, period, min(start, against or start))
            parts, missing = _of_control(series, control, period, against, start, settings.family)
            categories = _categories(store, settings.family, control, period) if by == "category" else None
            of_list, left_out = _of_list(revision, control, period, reference, born_after, categories)
            parts |= of_list
            notes += [f"{control}: {note}" for note in (*missing, *left_out)]
            for name, rows in parts.items():
                found[name].append(_named(TABLES[name], rows, control, period))
    if not found["groups"]:
        raise NothingReadError(f"The list of {period} has no player: there are no statistics.")
    tables = {name: pl.concat([TABLES[name].empty(), *parts]) for name, parts in found.items()}
    _write(folder, str(period), tables, notes)
    files = [*(f"{name}.parquet" for name in TABLES), PAGE]
    return StatisticsSummary(str(period), revision.name, str(folder), files, tables, notes)


def _series(store: Store | None, published: Path, control: str, period: Period, start: Period) -> _Series:
    """Return the lists of a time control from ``start`` to ``period``: published, else imported."""
    known = "select distinct month from imported_list where time_control = $control and rating is not null"
    imported = store.read(known, control=control)["month"].to_list() if store is not None else []
    months = map(Period, range(start.index - inflation.LISTS_LATER, period.index + 1))
    folders = {month: folder for month in months if (folder := revisions.latest(published, month)) is not None}
    lists = {}
    for month in map(Period, range(start.index, period.index + 1)):
        if month in folders:
            if table_files.has_table(folders[month], control):
                lists[month] = table_files.read_table(folders[month], control, ["fide_id", "rating"])
        elif store is not None and str(month) in imported:
            lists[month] = store.read(
                """
                select fide_id, rating from imported_list
                where month = $month and time_control = $control and rating is not null
                """,
                month=str(month),
                control=control,
            )
    return _Series(lists, folders)


def _of_control(
    series: _Series, control: str, period: Period, against: Period | None, start: Period, family: str
) -> tuple[dict[str, pl.DataFrame], list[str]]:
    """Return the rows of the flow and of inflation, and what is missing."""
    earlier = [month for month in sorted(series.lists) if month < period]
    if against is not None and against not in series.lists:
        raise NothingReadError(f"There is no {control} list of {against}, published or imported: name another month.")
    before = against or (earlier[-1] if earlier else None)
    shown = {month: rows for month, rows in series.lists.items() if month >= start}
    changes = {month: _changes(folder, control) for month, folder in series.folders.items()}
    entered = {
        month: rows.filter(pl.col("status") == "entered").select("fide_id", pl.col("new_rating").alias("rating"))
        for month, rows in changes.items()
    }
    exchanged = {month: _exchanged(series.folders[month], control) for month in shown if month in series.folders}
    book = rule_book()
    in_force = {month: book.on(family, control, month.first_day) for month in shown}
    rules = {month: one.list for month, one in in_force.items() if one is not None}
    found = {"inflation": inflation.inflation_rows(shown, entered, exchanged, rules)}
    if before is None:
        return found, ["no earlier list is known: there is no flow of points"]
    between = [month for month in series.folders if month > before]
    flow = list_statistics.flow_rows(
        series.lists[before],
        series.lists[period],
        pl.concat([changes[month].select("fide_id", "change") for month in between]),
    )
    if not list_statistics.adds_up(flow):
        raise CheckError(
            f"The points of the {control} lists of {before} and {period} do not add up: a player is on a list twice. "
            f"Nothing was written. Check the published files: ratinglist verify {series.folders[period]}"
        )
    return found | {"flow": flow.with_columns(pl.lit(str(before)).alias("from_month"))}, []


@dataclass(frozen=True, slots=True)
class _Categories:
    """The categories that a system keeps of its players. ``limits``: the lower limit of each.

    ``levels``: the limits where a category is that of the rating on the list.
    """

    of_players: pl.DataFrame
    limits: dict[str, int]
    levels: Mapping[str, int]

    def joined(self, players: pl.DataFrame) -> pl.DataFrame:
        """Return the players of the list with their ``category``."""
        if not self.levels:
            return players.join(self.of_players, on="fide_id", how="left")
        found = pl.lit(None, dtype=pl.String)
        for name, limit in self.levels.items():
            found = pl.when(pl.col("rating") >= limit).then(pl.lit(name)).otherwise(found)
        return players.with_columns(category=found)


def _categories(store: Store | None, family: str, control: str, period: Period) -> _Categories:
    """Return the categories of the players of a calculated list, or its levels; none where its system has none."""
    if store is None:
        raise NothingReadError("--by category needs the home of the office: a copy of published/ has no categories.")
    rows = store.read(
        """
        select fide_id, category from calculated_system_state
        where month = $month and time_control = $control and category <> ''
        """,
        month=str(period),
        control=control,
    )
    rule_set = rule_book().on(family, control, period.first_day)
    if not isinstance(rule_set, SystemRuleSet):
        return _Categories(rows, {}, {})
    rules, levels = getattr(rule_set.own, "category", None), SYSTEMS[rule_set.system].levels
    limits = dict(levels) if rules is None else dict(zip(CATEGORIES, astuple(rules), strict=True))
    return _Categories(rows, limits, levels)


def _of_list(
    revision: Path,
    control: str,
    period: Period,
    reference: Path | None,
    born_after: int,
    categories: _Categories | None,
) -> tuple[dict[str, pl.DataFrame], list[str]]:
    """Return the rows of groups, bands, years of birth and of the reference list, and what is missing."""
    columns = {"birth_year": pl.Int32} | dict.fromkeys(("title", "women_title", "flag"), pl.String)
    scan = table_files.scan_table(revision, control)
    present = scan.collect_schema().names()
    left_out = [name for name in columns if name not in present]
    players = (
        scan.with_columns(pl.lit(None, dtype=columns[name]).alias(name) for name in left_out)
        .select("fide_id", "rating", *columns)
        .collect()
    )
    if reference is not None:
        players = players.join(_reference(reference, period, control), on="fide_id", how="left")
    else:
        players = players.with_columns(pl.lit(None, dtype=pl.Int32).alias("reference_rating"))
    players = players.with_columns(pl.col("reference_rating").is_not_null().alias("has_reference"))
    notes = [f"the list is published without {', '.join(left_out)}: nothing is shown by it"] if left_out else []
    if categories is not None:
        players = categories.joined(players)
        if not categories.levels and categories.of_players.is_empty():
            notes.append("the system of this list keeps no categories; players are shown by title")
    groups = list_statistics.members(players, born_after)
    limits = None if categories is None else categories.limits
    rows = {
        "groups": list_statistics.group_rows(groups, period.first_day.year, limits),
        "bands": list_statistics.band_rows(groups),
        "birth_years": list_statistics.birth_year_rows(players),
        "reference": list_statistics.reference_rows(players.filter("has_reference")),
    }
    return rows, notes


def _reference(path: Path, period: Period, control: str) -> pl.DataFrame:
    """Return ``fide_id`` and ``reference_rating`` of the players of a list file who are rated for a time control."""
    batches = list_reader.read(path, month=period)
    parts = [
        batch.rows.filter((pl.col("time_control") == control) & pl.col("rating").is_not_null()).select(
            "fide_id", pl.col("rating").alias("reference_rating")
        )
        for batch in batches
    ]
    return pl.concat(parts) if parts else pl.DataFrame(schema={"fide_id": pl.Int64, "reference_rating": pl.Int32})


def _changes(folder: Path, control: str) -> pl.DataFrame:
    """Return ``fide_id``, ``change``, ``new_rating`` and ``status`` of a published list's changes."""
    rows = table_files.scan_table(folder, "changes").filter(pl.col("time_control") == control)
    return rows.select("fide_id", "change", "new_rating", "status").drop_nulls("new_rating").collect()


def _exchanged(folder: Path, control: str) -> pl.DataFrame:
    """Return the points that the games of a published list created."""
    rows = table_files.scan_table(folder, "games").filter(pl.col("time_control") == control, pl.col("rated"))
    columns = ("event_id", "round", "fide_id", "opponent_id", "change_hundredths")
    return inflation.points_exchanged(rows.select(columns).collect())


def _named(table: Table, rows: pl.DataFrame, control: str, period: Period) -> pl.DataFrame:
    """Return rows of a table with the time control, and the list where they have none."""
    of_list = [] if "list_month" in rows.columns else [pl.lit(str(period)).alias("list_month")]
    return table.conform(rows.with_columns(pl.lit(control).alias("time_control"), *of_list))


def _write(folder: Path, month: str, tables: dict[str, pl.DataFrame], notes: Iterable[str]) -> None:
    folder.mkdir(exist_ok=True)
    for name, rows in tables.items():
        write_atomically(folder / f"{name}.parquet", partial(write_table, table=TABLES[name], rows=rows))
    write_text_atomically(folder / PAGE, as_page(statistics_document(month, tables, list(notes))))
