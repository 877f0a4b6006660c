"""Write a simulated world into a folder.

```
OUT/list-<month before>.csv           the starting list
OUT/players-<month>.csv               registrations, to be imported before the month's reports
OUT/reports/<month>/manifest.csv      and the reports, in the same folder
```
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ratinglist.errors import CommandLineError
from ratinglist.files.atomic_file import check_not_in_an_office
from ratinglist.files.durable_files import TEMPORARY_PREFIX, remove
from ratinglist.result_codes import PLAYED
from ratinglist.settings import Progress, silent
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import Summary
from ratinglist.text import counted
from ratinglist_world.federation import Federation, Month
from ratinglist_world.people import PLAYER_COLUMNS, STATE_COLUMNS
from ratinglist_world.plan import PROBLEMS, World
from ratinglist_world.reports import MANIFEST_COLUMNS

MANIFEST = "manifest.csv"


@dataclass(slots=True)
class SimulateSummary(Summary):
    """The counts of what was written into ``folder``.

    ``players``: of the starting list. ``months``: the lists. ``newcomers`` and ``changed_players``: registered in these
    months. ``events`` by type and ``games`` over the board: of these months. ``reports``: arrived in these months.
    ``plants``: events with a planted problem, by kind. ``still_to_come``: reports of these events that arrive after the
    last month.
    """

    folder: str
    players: int
    months: list[str] = field(default_factory=list)
    newcomers: int = 0
    changed_players: int = 0
    events: dict[str, int] = field(default_factory=dict)
    games: int = 0
    reports: int = 0
    plants: dict[str, int] = field(default_factory=lambda: dict.fromkeys(PROBLEMS, 0))
    still_to_come: int = 0

    def add(self, month: Month, newcomers: int) -> None:
        """Add the counts of ``month``, whose registrations contain ``newcomers`` new players."""
        self.months.append(str(month.period))
        self.newcomers += newcomers
        self.changed_players += len(month.registrations) - newcomers
        for event in month.held:
            self.events[event.system] = self.events.get(event.system, 0) + 1
            if event.problem:
                self.plants[event.problem] += 1
            cells = (cell for entrant in event.entrants for cell in entrant.seat.cells)
            self.games += sum(cell.colour == "w" and cell.code in PLAYED for cell in cells)
        self.reports += len(month.due)

    def text(self) -> str:
        """Return the summary in a few lines."""
        events = ", ".join(f"{count:,} {name}" for name, count in sorted(self.events.items()))
        plants = ", ".join(f"{count:,} {name}" for name, count in self.plants.items() if count)
        return "\n".join(
            [
                f"{self.folder}: {self.players:,} players",
                f"  {', '.join(self.months)}: {counted(self.newcomers, 'newcomer')}, "
                f"{self.changed_players:,} with other data",
                f"  held: {events or 'nothing'}; {counted(self.games, 'game')} played",
                f"  arrived: {counted(self.reports, 'report')}"
                + (f", of events with problems: {plants}" if plants else ""),
                f"  still to come after the last month: {counted(self.still_to_come, 'report')}",
            ]
        )


def simulate(out: Path, world: World, count: int, progress: Progress = silent) -> SimulateSummary:
    """Write ``count`` months of ``world`` into ``out`` and return the counts.

    The folder is created. Raises :class:`CommandLineError` for less than one month, and where it is there already.
    """
    if count < 1:
        raise CommandLineError(f"--months is {count}: at least 1 is needed.")
    check_not_in_an_office(out, f"{out}")
    if os.path.lexists(out):
        raise CommandLineError(f"{out} is there already: name a new folder.")
    # Renamed at the end: what an interrupted run has left is deleted by the next one.
    draft = out.with_name(f"{TEMPORARY_PREFIX}{out.name}")
    remove(draft)
    draft.mkdir(parents=True)
    progress("making the starting list", 0, count)
    federation = federation_of(world)
    summary = SimulateSummary(str(out), world.players)
    columns = (*PLAYER_COLUMNS, *STATE_COLUMNS)
    _write_table(draft / f"list-{world.first - 1}.csv", columns, federation.starting_list())
    for number in range(1, count + 1):
        month = federation.next_month()
        _write_table(draft / f"players-{month.period}.csv", PLAYER_COLUMNS, month.registrations)
        folder = draft / "reports" / str(month.period)
        folder.mkdir(parents=True)
        _write_table(folder / MANIFEST, MANIFEST_COLUMNS, (report.manifest_row() for report in month.due))
        for report in month.due:
            (folder / report.file).write_text(report.text(), encoding="utf-8", newline="")
        summary.add(month, world.newcomers)
        progress("playing and reporting months", number, count)
    summary.still_to_come = len(federation.coming)
    draft.rename(out)
    return summary


def federation_of(world: World) -> Federation:
    """Return the federation of a world before its first month."""
    return Federation(world, rule_book().expected_score["expected_score"].to_list())


def _write_table(file: Path, columns: Sequence[str], rows: Iterable[Iterable[object]]) -> None:
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
