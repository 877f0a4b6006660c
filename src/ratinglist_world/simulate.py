"""The months of a made-up world: the reports as they arrive, and the command that writes all of it into a folder.

```
OUT/list-<month before>.csv           the starting list
OUT/players-<month>.csv               registrations, to be imported before the month's reports
OUT/reports/<month>/manifest.csv      and the reports, in the same folder
```

An event is reported once, a long league once for every month it lasts. TRF16 and TRF26 take turns; team events are in
TRF16. All are in UTF-8.
"""

from __future__ import annotations

import csv
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import groupby
from pathlib import Path

from ratinglist.errors import CommandLineError
from ratinglist.files.atomic_file import check_not_in_an_office
from ratinglist.files.durable_files import TEMPORARY_PREFIX, remove
from ratinglist.period import Period
from ratinglist.result_codes import PLAYED, POINT_HALVES
from ratinglist.settings import Progress, silent
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import Facts
from ratinglist_world.events import Calendar, Cell, Entrant, Event, Games
from ratinglist_world.people import (
    PLAYER_COLUMNS,
    PROBLEMS,
    STATE_COLUMNS,
    Dice,
    Player,
    World,
    first_player,
    list_rows,
    newcomer,
    renamed,
)

MANIFEST_COLUMNS = (
    *("file", "event_id", "version", "received_on", "event_type", "time_control", "federation", "start_date"),
    *("end_date", "registered_on", "minutes_per_60_moves"),
)
_USUAL_DAYS = 3
_LATE_FROM, _LATE_DAYS = 10, 36
_DAYS_TO_THE_NEXT = 20
_SENT_AGAIN = 600
"""Of a thousand broken reports: sent again without the fault, as a second version."""
_BLANK = " " * 10
_TYPES = {
    "swiss": ("Individual: Swiss System", "FIDE_DUTCH"),
    "roundrobin": ("Individual: Round Robin", "FIDE_ROUNDROBIN"),
    "team": ("Team: Round Robin", ""),
}
"""Records 092 and 192; the second is of TRF26 alone."""


@dataclass(frozen=True, slots=True)
class Report:
    """A report as it arrives.

    ``code``: the event's in the report. ``suffix``: of the file's name. ``first_round`` and ``last_round``: those it
    reports. ``fault``: ``no_id`` (a line without a FIDE ID), ``both_won`` (a game won by both players), ``wrong`` (a
    result that a second version corrects), or empty.
    """

    event: Event
    code: str
    suffix: str
    version: int
    first_round: int
    last_round: int
    received_on: date
    fault: str = ""

    @property
    def file(self) -> str:
        """The name of the file."""
        return f"{self.code}{self.suffix}.trf"

    @property
    def period(self) -> Period:
        """The list for which it arrives."""
        return Period.of(self.received_on) + 1

    @property
    def dates(self) -> list[date]:
        """The dates of the rounds it reports."""
        return self.event.dates[self.first_round - 1 : self.last_round]

    @property
    def is_trf26(self) -> bool:
        """Whether it is in the newer format, which states the time control."""
        return not self.event.teams and (self.event.number + self.version) % 2 == 1

    def manifest_row(self) -> tuple[object, ...]:
        """Return the values of :data:`MANIFEST_COLUMNS`: what the report states itself is blank."""
        event = self.event
        time_control, minutes = ("", "") if self.is_trf26 else (event.time_control, event.clock[1])
        return (
            *(self.file, self.code, self.version, self.received_on, event.system, time_control, event.federation),
            *(self.dates[0], self.dates[-1], event.registered_on, minutes),
        )

    def text(self) -> str:
        """Return the report, its lines ended by LF."""
        event, cells = self.event, self._cells()
        lines = [
            *(f"012 {event.name}", f"022 {event.city}", f"032 {event.federation}"),
            *(f"042 {self.dates[0]:%Y/%m/%d}", f"052 {self.dates[-1]:%Y/%m/%d}", f"062 {len(cells)}"),
            f"072 {sum(entrant.player.rating > 0 for entrant in event.entrants)}",
            *(f"082 {event.teams}", f"092 {_TYPES[event.system][0]}", f"102 {event.arbiter}"),
            f"122 {event.clock[1]} minutes for 60 moves",
            f"{'132':<91}{_BLANK * (self.first_round - 1)}" + "  ".join(f"{day:%y/%m/%d}" for day in self.dates),
        ]
        if self.is_trf26:
            lines += [f"142 {len(event.dates)}", "152 W", f"192 {_TYPES[event.system][1]}", f"222 {event.clock[0]}"]
        else:
            lines.append(f"XXR {len(event.dates)}")
        lines += self._player_lines(cells)
        for team in range(1, event.teams + 1):
            numbers = " ".join(f"{entrant.seat.number:>4}" for entrant in event.entrants if entrant.team == team)
            lines.append(f"013 {f'Team {team}':<32}{numbers}")
        return "\n".join([*lines, ""])

    def _cells(self) -> list[list[Cell | None]]:
        """Return the cells of every entrant by round, None for a round of an earlier part, with the wrong result."""
        played = [list(entrant.seat.cells[: self.last_round]) for entrant in self.event.entrants]
        if self.fault in ("both_won", "wrong"):
            turns = range(self.last_round)
            wins = [(turn, at) for turn in turns for at, cells in enumerate(played) if _won(cells[turn])]
            code = "1" if self.fault == "both_won" else "="
            # Of an event without a win nothing is wrong.
            for turn, at in wins[:1]:
                for side in (at, played[at][turn].opponent - 1):
                    played[side][turn] = played[side][turn]._replace(code=code)
        return [[None] * (self.first_round - 1) + cells[self.first_round - 1 :] for cells in played]

    def _player_lines(self, cells: Sequence[Sequence[Cell | None]]) -> Iterator[str]:
        halves = [sum(POINT_HALVES[cell.code] for cell in rounds if cell) for rounds in cells]
        order = sorted(range(len(cells)), key=lambda at: (-halves[at], at))
        rank = {at: place for place, at in enumerate(order, 1)}
        for at, (entrant, rounds) in enumerate(zip(self.event.entrants, cells, strict=True)):
            blank = self.fault == "no_id" and at == len(cells) // 2
            points = f"{halves[at] // 2}.{halves[at] % 2 * 5}"
            yield (
                f"{_described(entrant, '' if blank else entrant.player.fide_id)} {points:>4} {rank[at]:>4}"
                f"{''.join(map(_cell_text, rounds))}"
            )


def _won(cell: Cell) -> bool:
    return (cell.colour, cell.code) == ("w", "1")


def _described(entrant: Entrant, fide_id: int | str) -> str:
    """Return the player line (001) up to the date of birth."""
    player = entrant.player
    return (
        f"001 {entrant.seat.number:>4} {'w' if player.woman else 'm'}{player.title:>3} {player.name:<33} "
        f"{player.rating or '':>4} {player.federation} {fide_id:>11} {player.birth:%Y/%m/%d}"
    )


def _cell_text(cell: Cell | None) -> str:
    if cell is None:
        return _BLANK
    return f"  {cell.opponent or '0000':>4} {cell.colour} {cell.code}"


def reports_of(event: Event, dice: Dice) -> list[Report]:
    """Return every report of an event, in the order of arrival."""
    by_month = groupby(enumerate(event.dates, 1), key=lambda dated: dated[1].month if event.is_long else 0)
    parts = [[turn for turn, _ in dated] for _, dated in by_month]
    reports = []
    for part, turns in enumerate(parts, 1):
        late = event.problem == "late"
        delay = _LATE_FROM + dice.roll(_LATE_DAYS) if late else 1 + dice.roll(_USUAL_DAYS)
        received = event.dates[turns[-1] - 1] + timedelta(days=delay)
        name = f"-{part}" if len(parts) > 1 else ""
        reports.append(Report(event, event.code, name, 1, turns[0], turns[-1], received))
    first = reports[0]
    later = replace(first, received_on=first.received_on + timedelta(days=1 + dice.roll(_DAYS_TO_THE_NEXT)))
    second = replace(later, version=2, suffix="-v2")
    if event.problem == "repeated":
        return [first, replace(later, suffix="-again")]
    if event.problem == "other code":
        return [first, replace(later, code=f"{event.code}X")]
    if event.problem == "corrected":
        return [replace(first, fault="wrong"), second]
    if event.problem == "broken":
        broken = replace(first, fault=dice.pick(("no_id", "both_won")))
        return [broken, second] if dice.chance(_SENT_AGAIN) else [broken]
    return reports


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

    ``coming``: reports of events that were held which have not arrived.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self._expected = rule_book().tables["expected_score"].to_list()
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
        games = Games(self._expected, dice)
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
    federation = Federation(world)
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


def _write_table(file: Path, columns: Sequence[str], rows: Iterable[Iterable[object]]) -> None:
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
