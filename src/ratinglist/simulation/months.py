"""The months of a world: the registrations, the events played and the reports that arrive, and the counts of all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import polars as pl

from ratinglist.period import Period
from ratinglist.result_codes import BYES, PLAYED
from ratinglist.simulation import people
from ratinglist.simulation.deliveries import PLANTS, deliveries_of, with_plants
from ratinglist.simulation.events import events_of
from ratinglist.simulation.matches import shorten_matches
from ratinglist.simulation.opening_lists import registrations
from ratinglist.simulation.participation import entrants_of, entry_requests
from ratinglist.simulation.plan import World
from ratinglist.simulation.play import play
from ratinglist.summaries import Summary
from ratinglist.text import counted

_EVENT_COLUMNS = (
    *("event_no", "begins_on", "system", "event_type", "time_control", "clock", "minutes", "rounds", "name", "city"),
    *("federation", "arbiter", "official", "is_long", "days", "registered_on", "teams"),
)
_FORFEITS = ("+", "-")


@dataclass(frozen=True, slots=True)
class HeldEvents:
    """The events of one month, or those that are not wholly reported yet.

    ``events``: :func:`~ratinglist.simulation.events.events_of`, with plants; ``entrants``:
    :func:`~ratinglist.simulation.participation.entrants_of` with their list data; ``cells``:
    :func:`~ratinglist.simulation.play.play`; ``deliveries``: :func:`~ratinglist.simulation.deliveries.deliveries_of`.
    """

    events: pl.DataFrame
    entrants: pl.DataFrame
    cells: pl.DataFrame
    deliveries: pl.DataFrame

    def restrict(self, deliveries: pl.DataFrame) -> HeldEvents:
        """Return ``deliveries`` with the events, entrants and cells that belong to them."""
        of_these = pl.col("event_no").is_in(deliveries["event_no"].unique().implode())
        return HeldEvents(
            self.events.filter(of_these), self.entrants.filter(of_these), self.cells.filter(of_these), deliveries
        )

    @classmethod
    def concat(cls, first: HeldEvents, second: HeldEvents) -> HeldEvents:
        """Return the events of both."""
        return cls(
            pl.concat([first.events, second.events]),
            pl.concat([first.entrants, second.entrants]),
            pl.concat([first.cells, second.cells]),
            pl.concat([first.deliveries, second.deliveries]),
        )


@dataclass(frozen=True, slots=True)
class Month:
    """One month as the office receives it: the registrations before the reports, and the reports that arrive.

    ``due`` has the deliveries, numbered from 0 in ``delivery``, with the event columns that the manifest and the texts
    need; ``entrants`` and ``cells`` belong to them. ``held`` has the events that began in the month, whenever they are
    reported.
    """

    period: Period
    registrations: pl.DataFrame
    due: pl.DataFrame
    entrants: pl.DataFrame
    cells: pl.DataFrame
    held: HeldEvents


def months_of(world: World, count: int, expected: pl.Series) -> Iterator[Month]:
    """Yield the first ``count`` months of ``world``. A month does not depend on ``count``.

    ``expected`` as in :func:`~ratinglist.simulation.play.play`.
    """
    waiting: HeldEvents | None = None
    for month in range(1, count + 1):
        held = play_month(world, month, expected)
        unreported = held if waiting is None else HeldEvents.concat(waiting, held)
        arriving = unreported.restrict(unreported.deliveries.filter(pl.col("month") == month))
        waiting = unreported.restrict(unreported.deliveries.filter(pl.col("month") > month))
        yield Month(
            world.period(month),
            registrations(world, month),
            number_deliveries(arriving),
            arriving.entrants,
            arriving.cells,
            held,
        )


def play_month(world: World, month: int, expected: pl.Series) -> HeldEvents:
    """Return the events that begin in ``month`` (from 1), played to their end. ``expected`` as in :func:`months_of`."""
    requests = entry_requests(world, month)
    events = with_plants(events_of(world, month, requests), world)
    entrants = entrants_of(world, month, events, requests)
    cells = play(
        events.select("event_no", "system", "rounds"),
        entrants.select(
            *("event_no", "start_number", pl.col("strength").cast(pl.Int32), "team", "board"),
            *("enters_round", "leaves_after"),
        ),
        world.seed,
        expected,
    )
    events = shorten_matches(events, cells)
    return HeldEvents(events, people.with_list_data(entrants, world, month), cells, deliveries_of(world, events))


def number_deliveries(arriving: HeldEvents) -> pl.DataFrame:
    """Return the deliveries of ``arriving``, numbered in the order of ``file``: :attr:`Month.due`."""
    events = arriving.events.rename({"start_date": "begins_on"}).select(_EVENT_COLUMNS)
    return (
        arriving.deliveries.join(events, on="event_no", maintain_order="left")
        .sort("file")
        .with_columns(pl.int_range(pl.len(), dtype=pl.UInt32).alias("delivery"))
    )


@dataclass(slots=True)
class SimulateSummary(Summary):
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
        self.games += sum(results.get(code, 0) for code in PLAYED) // 2
        # A forfeited game has two cells, whichever player was absent.
        self.forfeits += sum(results.get(code, 0) for code in _FORFEITS) // 2
        self.byes += sum(results.get(code, 0) for code in BYES)
        self.reports += month.due.height
        lines = month.entrants["event_no"].value_counts(name="lines")
        self.player_lines += int(month.due.join(lines, on="event_no").select(pl.col("lines").sum()).item())
        for plant, count in month.due.filter(pl.col("plant") != "")["plant"].value_counts().iter_rows():
            self.plants[plant] += count
        self.still_to_come += month.held.deliveries.height - month.due.height

    def text(self) -> str:
        """Return the summary in a few lines."""
        lists = ", ".join(f"{name} {count:,}" for name, count in self.lists.items())
        events = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in self.events.items())
        plants = ", ".join(f"{count:,} {name}" for name, count in self.plants.items() if count)
        return "\n".join(
            [
                f"{self.folder}: {self.players:,} players; rated: {lists}",
                f"  {', '.join(self.months)}: {counted(self.newcomers, 'newcomer')}, "
                f"{self.changed_players:,} with other data",
                f"  held: {events or 'nothing'}",
                f"  played: {counted(self.games, 'game')}, {counted(self.forfeits, 'forfeit')}, "
                f"{self.byes:,} byes and absences",
                f"  arrived: {counted(self.reports, 'report')} with {counted(self.player_lines, 'player line')}"
                + (f", of events with problems: {plants}" if plants else ""),
                f"  still to come after the last month: {counted(self.still_to_come, 'report')}",
            ]
        )
