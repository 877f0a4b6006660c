"""The command `ratinglist lab what-if`: the months under a regulation with changed values, and as it is.

The changed rules exist in memory alone, and the replay in ``HOME/lab``. The store has neither, so no command publishes
such a list.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from ratinglist.errors import NothingReadError
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import Summary
from ratinglist.text import counted, grouped
from ratinglist_lab.altered_rules import altered, altered_name, described, parse_changes
from ratinglist_lab.measured import measured
from ratinglist_lab.measures import LARGEST_TABLE, MOVED_TABLE
from ratinglist_lab.replay import Replay, Start, System, checked, replay_system
from ratinglist_lab.report import TABLES as REPORT_TABLES, output_folder, study_tables, write_report
from ratinglist_lab.report_document import report_document, what_if_parts
from ratinglist_lab.study import Study, studied

OUT = Path("what-if")
TABLES = (*REPORT_TABLES, MOVED_TABLE, LARGEST_TABLE)


@dataclass(frozen=True, slots=True)
class WhatIfSummary(Summary):
    """What the changes do to the last list. ``changes``: each with the value before."""

    family: str
    changed: str
    list_month: str
    changes: list[str]
    folder: str
    files: list[str]
    tables: dict[str, pl.DataFrame]

    def text(self) -> str:
        """Return who moves, enters and leaves, and whether the changed rules predict better."""
        everyone = self.tables["moved"].row(0, named=True)
        mean, lower, median, upper = (
            grouped(everyone[f"{name}_hundredths"], 2) or "-" for name in ("mean", "lower", "median", "upper")
        )
        lines = [
            f"{self.changed}, list of {self.list_month}, compared with {self.family}:",
            *(f"  {change}" for change in self.changes),
            f"  {everyone['moved']:,} of {everyone['players']:,} players move: mean {mean}, median {median}, "
            f"9 of 10 from {lower} to {upper}",
            f"  {everyone['entering']:,} enter, {everyone['leaving']:,} leave",
        ]
        differences = self.tables["differences"].filter(
            pl.col("system") == self.changed, pl.col("measure") == "log_loss", pl.col("grouping") == "all"
        )
        for row in differences.iter_rows(named=True):
            mean, low, high = (grouped(row[f"{name}_millionths"], 6) for name in ("difference", "low", "high"))
            verdict = "these games do not decide which predicts better"
            if row["high_millionths"] < 0:
                verdict = "predicts better"
            elif row["low_millionths"] > 0:
                verdict = "predicts worse"
            lines.append(f"  log loss differs by {mean} ({low} to {high}) on {row['games']:,} games: {verdict}")
        lines.append(
            f"  {counted(len(self.files), 'file')} in {self.folder}; nothing is published, and the store is as it was"
        )
        return "\n".join(lines)


def what_if(
    settings: Settings,
    family: str,
    changes: tuple[str, ...],
    *,
    months: tuple[Period | None, Period | None] = (None, None),
    start: Start = "list",
    time_control: str = "standard",
    out: Path | None = None,
) -> WhatIfSummary:
    """Replay a family as it is and with ``changes`` (``section.key=value``), and write who moves and the comparison.

    Raises :class:`CommandLineError` for a change that the family does not allow, :class:`NothingReadError` where there
    is no list to compare, :class:`~ratinglist.errors.StoreInUseError` while another laboratory command runs.
    """
    parsed = parse_changes(changes)
    folder = output_folder(settings, out or OUT)
    book, name = rule_book(), altered_name(family, parsed)
    rules = altered(book, family, parsed)
    as_it_is, changed = (checked(System(one, rules), time_control, start) for one in (family, name))
    with studied(settings, months, time_control, writes=True) as study:
        lines = described(book, family, parsed, [month.first_day for month in study.months])
        systems = [as_it_is, replace(changed, changes=lines)]
        replays = [replay_system(study, system, start, settings.progress) for system in systems]
        month, lists = _last_lists(study, *replays)
        described_players = study.players(study.months[-1]).select("fide_id", "name", "federation")
        frames = {"as_it_is": lists[0], "changed": lists[1], "described": described_players}
        tables = {
            **study_tables(study, replays),
            **measured([MOVED_TABLE, LARGEST_TABLE], "compared", frames),
        }
    facts = [
        f"The family {family} with changed values, months {study.months[0]} to {study.months[-1]} of this office, "
        f"{time_control}. This is a study: no such list is published."
    ]
    # Who moves comes first: it is the question.
    moved = what_if_parts(name, lines, tables)
    steps = {replay.name: replay.facts["one_time_steps"] for replay in replays}
    document = report_document(f"What if: {name}", facts, family, tables, steps, moved)
    files = write_report(folder, document, tables, TABLES)
    return WhatIfSummary(family, name, month, lines, str(folder), files, tables)


def _last_lists(study: Study, first: Replay, second: Replay) -> tuple[str, tuple[pl.DataFrame, pl.DataFrame]]:
    """Return the newest month that both have a list of, and the two lists."""
    for month in reversed(study.months):
        lists = first.ratings(month), second.ratings(month)
        if lists[0] is not None and lists[1] is not None:
            return str(month), (lists[0], lists[1])
    raise NothingReadError(
        f"The family {first.name} publishes no list from {study.months[0]} to {study.months[-1]}. Name more months."
    )
