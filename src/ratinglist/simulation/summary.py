"""The summary of a simulation: counts as text and as JSON-able values."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

import polars as pl

from ratinglist.simulation.deliveries import PLANTS
from ratinglist.simulation.months import Month

_FORFEITS = ("+", "-")
_BYES = ("H", "F", "U", "Z")
_PLAYED = ("1", "=", "0")


@dataclass(slots=True)
class SimulateSummary:
    """The counts of what was written into ``folder``.

    ``players``: of the starting list. ``lists``: rated players of the starting list by time control. ``months``: the
    lists. ``newcomers`` and ``changed_players``: registered in these months. ``events`` by pairing system, ``games``,
    ``forfeits`` and ``byes`` (with absences): played in these months. ``reports`` and their ``player_lines``: arrived
    in these months. ``plants``: reports of events with a planted problem, by kind. ``still_to_come``: reports of these
    events that arrive after the last month.
    """

    folder: str
    players: int
    lists: dict[str, int]
    months: list[str] = field(default_factory=list)
    newcomers: int = 0
    changed_players: int = 0
    events: dict[str, int] = field(default_factory=dict)
    games: int = 0
    forfeits: int = 0
    byes: int = 0
    reports: int = 0
    player_lines: int = 0
    plants: dict[str, int] = field(default_factory=lambda: dict.fromkeys(PLANTS, 0))
    still_to_come: int = 0

    def add(self, month: Month, newcomers: int) -> None:
        """Add the counts of ``month``, whose registrations contain ``newcomers`` new players."""
        self.months.append(str(month.period))
        self.newcomers += newcomers
        self.changed_players += month.registrations.height - newcomers
        for system, count in month.held.events["system"].value_counts().sort("system").iter_rows():
            self.events[system] = self.events.get(system, 0) + count
        results = dict(month.held.cells["result"].value_counts().iter_rows())
        self.games += sum(results.get(code, 0) for code in _PLAYED) // 2
        # A forfeited game has two cells, whichever player was absent.
        self.forfeits += sum(results.get(code, 0) for code in _FORFEITS) // 2
        self.byes += sum(results.get(code, 0) for code in _BYES)
        self.reports += month.due.height
        lines = month.entrants["event_no"].value_counts(name="lines")
        self.player_lines += int(month.due.join(lines, on="event_no").select(pl.col("lines").sum()).item())
        for plant, count in month.due.filter(pl.col("plant") != "")["plant"].value_counts().iter_rows():
            self.plants[plant] += count
        self.still_to_come += month.held.deliveries.height - month.due.height

    def as_dict(self) -> dict[str, object]:
        """Return the summary as JSON-able values."""
        return asdict(self)

    def text(self) -> str:
        """Return the summary in a few lines."""
        lists = ", ".join(f"{name} {count:,}" for name, count in self.lists.items())
        events = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in self.events.items())
        plants = ", ".join(f"{count:,} {name}" for name, count in self.plants.items() if count)
        return "\n".join(
            [
                f"{self.folder}: {self.players:,} players; rated: {lists}",
                f"  {', '.join(self.months)}: {self.newcomers:,} newcomers, {self.changed_players:,} with other data",
                f"  held: {events or 'nothing'}",
                f"  played: {self.games:,} games, {self.forfeits:,} forfeits, {self.byes:,} byes and absences",
                f"  arrived: {self.reports:,} reports with {self.player_lines:,} player lines"
                + (f", of events with problems: {plants}" if plants else ""),
                f"  still to come after the last month: {self.still_to_come:,} reports",
            ]
        )
