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
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ratinglist.errors import CommandLineError
from ratinglist.files.atomic_file import check_not_in_an_office
from ratinglist.files.durable_files import TEMPORARY_PREFIX, remove
from ratinglist.period import Period
from ratinglist.result_codes import PLAYED
from ratinglist.settings import Progress, silent
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import Facts
from ratinglist_world.events import Calendar, Event, Games
from ratinglist_world.people import PLAYER_COLUMNS, STATE_COLUMNS, Player, first_player, list_rows, newcomer, renamed
from ratinglist_world.plan import PROBLEMS, Dice, World
from ratinglist_world.reports import MANIFEST_COLUMNS, Report, reports_of


@dataclass(frozen=True, slots=True)
class Month:
    """A month as the office receives it.

    ``registrations``: rows of new players and of those with other data, before the reports.
    ``held``: the events that began in the month before the list of ``period``, whenever they are reported.
    ``due``: the reports that arrive for this list, by the names of their files.
    """

    period: Period
    registrations: list[tuple[object, ...]]
    held: list[Event]
    due: list[Report]


class Federation:
    """The players of a world, who grow older as its months are played.

    ``expected``: the higher rated player's expected score in hundredths by rating difference from 0 on (8.1.2).
    ``coming``: reports of events that were held which have not arrived.
    """

    def __init__(self, world: World, expected: Sequence[int]) -> None:
        self.world, self.expected = world, expected
        dice = Dice(f"{world.seed} players")
        self.players = [first_player(world, number, dice) for number in range(world.players)]
        self.coming: list[Report] = []
        self._period = world.first
        self._strangers = self._newcomers(dice)

    def starting_list(self) -> Iterator[tuple[object, ...]]:
        """Yield the rows of the list before the first month; it is asked for before any month is played."""
        dice = Dice(f"{self.world.seed} starting list")
        for player in self.players:
            yield from list_rows(player, self.world, dice)

    def next_month(self) -> Month:
        """Play a month. It does not depend on the months after it."""
        world, period = self.world, self._period
        dice = Dice(f"{world.seed} {period}")
        for player in self.players:
            player.is_new = False
            player.grow(dice, period)
        changed = [player for player in self.players if dice.chance(world.plan.changes)]
        for player in changed:
            self._change(player, dice)
        new, self._period = self._strangers, period + 1
        self.players += new
        self._strangers = self._newcomers(dice)
        games = Games(self.expected, dice)
        held = Calendar(world, period, self.players, dice).hold(self._strangers, games)
        reports = [*self.coming, *(report for event in held for report in reports_of(event, dice))]
        self.coming = [report for report in reports if report.period > period]
        due = sorted((report for report in reports if report.period <= period), key=lambda report: report.file)
        return Month(period, [player.row() for player in [*changed, *new]], held, due)

    def _newcomers(self, dice: Dice) -> list[Player]:
        """Return the players who are registered for the next month to be played."""
        numbers = range(len(self.players), len(self.players) + self.world.newcomers)
        return [newcomer(self.world, number, self._period, dice) for number in numbers]

    def _change(self, player: Player, dice: Dice) -> None:
        """Give a player another federation or another surname."""
        if len(self.world.federations) > 1 and dice.chance(500):
            player.federation = dice.pick(self.world.federations)
        else:
            player.name = renamed(player.name, dice)


MANIFEST = "manifest.csv"


def simulate(out: Path, world: World, count: int, progress: Progress = silent) -> Facts:
    """Write ``count`` months of ``world`` into ``out`` and return the counts.

    ``players``: of the starting list. ``newcomers`` and ``changed_players``: registered in these months. ``events`` by
    type and ``games`` over the board: of these months. ``reports``: arrived in these months. ``plants``: events with a
    planted problem, by kind. ``still_to_come``: reports of these events that arrive after the last month.

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
    columns = (*PLAYER_COLUMNS, *STATE_COLUMNS)
    _write_table(draft / f"list-{world.first - 1}.csv", columns, federation.starting_list())
    months: list[str] = []
    systems, plants = Counter[str](), dict.fromkeys(PROBLEMS, 0)
    registered = games = reports = 0
    for number in range(1, count + 1):
        month = federation.next_month()
        _write_table(draft / f"players-{month.period}.csv", PLAYER_COLUMNS, month.registrations)
        folder = draft / "reports" / str(month.period)
        folder.mkdir(parents=True)
        _write_table(folder / MANIFEST, MANIFEST_COLUMNS, (report.manifest_row() for report in month.due))
        for report in month.due:
            (folder / report.file).write_text(report.text(), encoding="utf-8", newline="")
        months.append(str(month.period))
        registered += len(month.registrations)
        reports += len(month.due)
        systems.update(event.system for event in month.held)
        for event in month.held:
            cells = (cell for entrant in event.entrants for cell in entrant.seat.cells)
            games += sum(cell.colour == "w" and cell.code in PLAYED for cell in cells)
            if event.problem:
                plants[event.problem] += 1
        progress("playing and reporting months", number, count)
    draft.rename(out)
    facts = {
        "folder": str(out),
        "players": world.players,
        "months": months,
        "newcomers": count * world.newcomers,
        "changed_players": registered - count * world.newcomers,
        "events": dict(systems),
        "games": games,
        "reports": reports,
        "plants": plants,
        "still_to_come": len(federation.coming),
    }
    return Facts("Simulated", facts)


def federation_of(world: World) -> Federation:
    """Return the federation of a world before its first month."""
    return Federation(world, rule_book().tables["expected_score"].to_list())


def _write_table(file: Path, columns: Sequence[str], rows: Iterable[Iterable[object]]) -> None:
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
