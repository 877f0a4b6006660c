"""The command `ratinglist lab what-if`: the months under a regulation with changed values, and as it is.

The changed rules exist in memory alone, and the replay in ``HOME/lab``. The store has neither, so no command publishes
such a list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from ratinglist.charts import number_text
from ratinglist.config import Settings
from ratinglist.errors import NothingReadError
from ratinglist.laboratory import list_difference
from ratinglist.laboratory.altered_rules import altered, altered_name, described, parse_changes
from ratinglist.laboratory.frozen_months import FrozenMonths, frozen_months, held_laboratory
from ratinglist.laboratory.replay import family_system, replay_systems
from ratinglist.laboratory.replay_folder import Replay, Start
from ratinglist.laboratory.report import TABLES as REPORT_TABLES
from ratinglist.laboratory.report import output_folder, study, write_report
from ratinglist.laboratory.report_text import chart_texts, report_lines, what_if_lines
from ratinglist.rating.rules import RuleBook
from ratinglist.store.rule_files import rule_book

OUT = Path("what-if")
TABLES = REPORT_TABLES | {one.name: one for one in (list_difference.MOVED_TABLE, list_difference.LARGEST_TABLE)}


@dataclass(frozen=True, slots=True)
class WhatIfSummary:
    """What the changes do to the last list. ``changes``: each with the value before."""

    digest: str
    family: str
    changed: str
    list_month: str
    changes: list[str]
    folder: str
    files: list[str]
    tables: dict[str, pl.DataFrame]

    def as_dict(self) -> dict[str, object]:
        """Return the study as JSON-able values."""
        names = ("digest", "family", "changed", "list_month", "changes", "folder", "files")
        return {
            **{name: getattr(self, name) for name in names},
            **{name: rows.to_dicts() for name, rows in self.tables.items()},
        }

    def text(self) -> str:
        """Return who moves, enters and leaves, and whether the changed rules predict better."""
        everyone = self.tables["moved"].row(0, named=True)
        mean, lower, median, upper = (
            "-" if everyone[f"{name}_hundredths"] is None else number_text(everyone[f"{name}_hundredths"], 2)
            for name in ("mean", "lower", "median", "upper")
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
            found, low, high = (number_text(row[f"{name}_millionths"], 6) for name in ("difference", "low", "high"))
            verdict = (
                "predicts better"
                if row["high_millionths"] < 0
                else "predicts worse"
                if row["low_millionths"] > 0
                else "these games do not decide which predicts better"
            )
            lines.append(f"  log loss {found} ({low} to {high}) on {row['games']:,} games: {verdict}")
        lines.append(f"  {len(self.files)} files in {self.folder}; nothing is published, and the store is as it was")
        return "\n".join(lines)


def what_if(
    settings: Settings,
    family: str,
    changes: tuple[str, ...],
    *,
    start: Start = "list",
    digest: str | None = None,
    time_control: str = "standard",
    out: Path | None = None,
) -> WhatIfSummary:
    """Replay a family as it is and with ``changes`` (``section.key=value``), and write who moves and the comparison.

    Raises :class:`CommandLineError` for a change that the family does not allow, :class:`NothingReadError` where there
    is no list to compare, :class:`~ratinglist.errors.StoreInUseError` while another laboratory command runs.
    """
    parsed = parse_changes(changes)
    folder = output_folder(settings, out or OUT)
    book = rule_book()
    rules = altered(book, family, parsed)
    names = (family, altered_name(family, parsed))
    with held_laboratory(settings.home, writes=True):
        frozen = frozen_months(settings.home, digest)
        described_changes = described(book, family, parsed, [one.first_day for one in frozen.months])
        as_it_is, changed = _replayed(settings, frozen, rules, names, described_changes, start, time_control)
        month, lists = _last_lists(frozen, as_it_is, changed)
        players = None
        for one in frozen.months:
            players = frozen.players(one, players)
        if players is None:
            raise NothingReadError("No month is frozen.")
        compared = list_difference.compared_lists(*lists, players)
        tables = {
            **study(settings, frozen, [as_it_is, changed], time_control),
            "moved": list_difference.moved_rows(compared),
            "largest": list_difference.largest_rows(compared),
        }
        steps = {one.name: one.one_time_steps for one in (as_it_is, changed)}
    facts = [
        f"The family {family} with changed values, months {frozen.months[0]} to {frozen.months[-1]} of this office, "
        f"{time_control}; frozen as {frozen.digest}. This is a study: no such list is published."
    ]
    charts = chart_texts(tables, steps)
    lines = report_lines(f"What if: {names[1]}", facts, family, tables, charts)
    # Who moves comes first: it is the question.
    place = lines.index("## Prediction")
    lines[place:place] = what_if_lines(names[1], described_changes, tables)
    files = write_report(folder, lines, charts, tables, TABLES)
    return WhatIfSummary(frozen.digest, family, names[1], month, described_changes, str(folder), files, tables)


def _replayed(
    settings: Settings,
    frozen: FrozenMonths,
    rules: RuleBook,
    names: tuple[str, str],
    changes: Sequence[str],
    start: Start,
    time_control: str,
) -> list[Replay]:
    """Replay a family as it is and changed; ``changes``: what ``replay.json`` states of the second one."""
    as_it_is, changed = (family_system(name, rules, time_control, from_scratch=start == "scratch") for name in names)
    return replay_systems(settings, frozen, [as_it_is, replace(changed, changes=changes)], start)


def _last_lists(frozen: FrozenMonths, first: Replay, second: Replay) -> tuple[str, tuple[pl.DataFrame, pl.DataFrame]]:
    """Return the newest month that both have a list of, and the two lists."""
    for month in reversed(frozen.months):
        lists = first.ratings(month), second.ratings(month)
        if lists[0] is not None and lists[1] is not None:
            return str(month), (lists[0], lists[1])
    raise NothingReadError(
        f"The family {first.name} publishes no list from {frozen.months[0]} to {frozen.months[-1]}. Freeze more months."
    )
