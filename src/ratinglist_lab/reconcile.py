"""The command `ratinglist reconcile`: compares a published or calculated list with an official file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.files.atomic_file import check_output, write_atomically
from ratinglist.files.durable_files import make_private_folder
from ratinglist.lists import list_reader as lists
from ratinglist.lists.official_rows import OFFICIAL_ROW
from ratinglist.period import Period
from ratinglist.publication import revisions
from ratinglist.settings import Settings
from ratinglist.store.calculations import current_calculation
from ratinglist.store.database import Store
from ratinglist.store.inputs import read_month_inputs
from ratinglist.store.rule_files import rule_book
from ratinglist.store.table_files import check_table_path, write_table
from ratinglist.summaries import Summary
from ratinglist.tables import LISTS
from ratinglist.workflows.opening import open_to_read
from ratinglist_lab.list_comparison import CAUSES, CLASSES, DIFFERENCE, OurMonth, compare_lists

_SHOWN = 10
"""How many unexplained differences the summary shows; the file has all."""


@dataclass(frozen=True, slots=True)
class ReconcileSummary(Summary):
    """The result of a comparison: ``figures`` has one entry per time control and column.

    ``path`` is the file with every difference; ``shown`` are the first unexplained ones.
    """

    month: str
    revision: str
    official: str
    path: str
    figures: list[dict[str, object]]
    causes: list[dict[str, object]]
    unexplained: int
    shown: list[dict[str, object]]
    notes: list[str]

    def text(self) -> str:
        """Return the summary as text that fits on one screen."""
        lines = [f"List of {self.month} ({self.revision}) against {self.official}"]
        for control in dict.fromkeys(row["time_control"] for row in self.figures):
            rows = [row for row in self.figures if row["time_control"] == control]
            lines.append(f"  {control:<14}{''.join(f'{kind:>13}' for kind in CLASSES)}")
            lines += [f"    {row['column']:<12}{''.join(f'{row[kind]:>13,}' for kind in CLASSES)}" for row in rows]
        lines += [f"  {row['rows']:,} × {row['column']}: {CAUSES[str(row['cause'])]}" for row in self.causes]
        lines += [
            f"  unexplained: {row['fide_id']} {row['name']}, {row['time_control']} {row['column']}: "
            f"ours {row['ours'] or 'none'}, official {row['official'] or 'none'}"
            for row in self.shown
        ]
        if self.unexplained > len(self.shown):
            lines.append(f"               and {self.unexplained - len(self.shown):,} more")
        lines += [f"  note: {note}" for note in self.notes]
        return "\n".join([*lines, f"  every difference: {self.path}"])


def reconcile(
    settings: Settings, period: Period, file: Path, time_control: str | None = None, out: Path | None = None
) -> ReconcileSummary:
    """Compare our list of ``period``, the published one or else the calculated one, with the official ``file``.

    Writes one row per difference to ``out`` (CSV or Parquet by its name; default ``HOME/reconciled/<month>.csv``, with
    ``time_control`` in the name where it is given). Changes nothing else. Raises :class:`NothingReadError` where we
    have no list, or the file has none of the same time control.
    """
    name = f"{period}-{time_control}.csv" if time_control else f"{period}.csv"
    path = out or settings.home / "reconciled" / name
    if out is not None:
        check_table_path(out)
        check_output(out, settings.home, file)
    settings.progress("reading the official list", 0, 1)
    theirs = _official(file, period, time_control)
    settings.progress("comparing the lists", 0, 1)
    with open_to_read(settings, shows_published=True) as store:
        revision, ours = _our_months(store, settings, period)
    official_controls = theirs["time_control"].unique()
    compared = {
        month.time_control: compare_lists(month, theirs.filter(pl.col("time_control") == month.time_control))
        for month in ours
        if month.time_control in official_controls and time_control in (None, month.time_control)
    }
    if not compared:
        listed = ", ".join(month.time_control for month in ours) or "empty"
        raise NothingReadError(
            f"{file} and our list of {period} ({listed}) have no time control in common"
            + (f" that is {time_control}" if time_control else "")
            + ": check the file, its month and --time-control."
        )
    notes = [
        f"the official {control} list has no values for: {', '.join(comparison.not_compared)}"
        for control, comparison in compared.items()
        if comparison.not_compared
    ]
    absent = [month.time_control for month in ours if month.time_control not in compared]
    notes += [f"the official file has no {control} list" for control in absent if time_control is None]
    differences = DIFFERENCE.sorted(pl.concat(comparison.differences for comparison in compared.values()))
    if out is None:
        make_private_folder(path.parent)
    write_atomically(path, lambda temporary: write_table(temporary, DIFFERENCE, differences))
    unexplained = differences.filter(pl.col("class") == "unexplained")
    return ReconcileSummary(
        month=str(period),
        revision=revision,
        official=str(file),
        path=str(path),
        figures=pl.concat(comparison.figures for comparison in compared.values()).to_dicts(),
        causes=_causes(differences),
        unexplained=len(unexplained),
        shown=unexplained.head(_SHOWN).to_dicts(),
        notes=notes,
    )


def _our_months(store: Store, settings: Settings, period: Period) -> tuple[str, list[OurMonth]]:
    """Read our list: its revision, or ``calculated``, and every time control with the inputs it was calculated from.

    Of a published list the calculation that it shows, whatever newer one exists.
    """
    newest = current_calculation(store, period)
    with store.as_published(()):
        folder, *_ = [*store.current_folders([str(period)]), newest.folder]
    published = revisions.latest(settings.published, period)
    inputs = read_month_inputs(store, period, newest.family, rule_book())
    tables = folder.read_tables()
    versions = store.read("select distinct fide_id, name, federation, sex, title, women_title from player")
    months = [
        OurMonth(
            inputs=inputs,
            time_control=control,
            listed=tables[control],
            games=tables["games"].filter(time_control=control),
            events=tables["events"].filter(time_control=control),
            versions=versions,
        )
        for control in LISTS
        if control in tables and not tables[control].is_empty()
    ]
    return published.name if published else "calculated", months


def _causes(differences: pl.DataFrame) -> list[dict[str, object]]:
    """Count the rows of each cause by column, the most frequent first."""
    counted = differences.filter(pl.col("cause") != "").group_by("cause", "column").agg(pl.len().alias("rows"))
    return counted.sort("rows", "cause", "column", descending=[True, False, False]).to_dicts()


def _official(file: Path, period: Period, time_control: str | None) -> pl.DataFrame:
    """Read the rated rows of the official list (``OFFICIAL_ROW``), without the store.

    The one flag of a combined list is that of the standard list, else of the first list that the player is on; on the
    other lists it is null.
    """
    try:
        batches = list(lists.read(file, month=period))
    except CommandLineError:
        # The file is one list without its time control. For other files --time-control only selects what to compare.
        if time_control is None:
            raise
        batches = list(lists.read(file, month=period, time_control=time_control))
    rows = pl.concat([OFFICIAL_ROW.empty(), *(batch.rows for batch in batches)])
    rated = rows.filter(pl.col("rating").is_not_null())
    if not any(batch.combined for batch in batches):
        return rated
    place = pl.col("time_control").replace_strict({name: at for at, name in enumerate(LISTS)})
    return rated.with_columns(pl.when(place == place.min().over("fide_id")).then("flag").alias("flag"))
