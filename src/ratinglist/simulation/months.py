"""The months of a world: the registrations, the events played and the reports that arrive."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from ratinglist.period import Period
from ratinglist.simulation import people
from ratinglist.simulation.deliveries import deliveries_of, with_plants
from ratinglist.simulation.entrants import entrants_of
from ratinglist.simulation.events import events_of
from ratinglist.simulation.matches import shorten_matches
from ratinglist.simulation.opening_lists import registrations
from ratinglist.simulation.participation import entry_requests
from ratinglist.simulation.plan import World
from ratinglist.simulation.play import play

_EVENT_COLUMNS = (
    *("event_no", "begins_on", "system", "event_type", "time_control", "clock", "minutes", "rounds", "name", "city"),
    *("federation", "arbiter", "official", "is_long", "days", "registered_on", "teams"),
)


@dataclass(frozen=True, slots=True)
class HeldEvents:
    """The events of one month, or those that are not wholly reported yet.

    ``events``: :func:`~ratinglist.simulation.events.events_of`, with plants; ``entrants``:
    :func:`~ratinglist.simulation.entrants.entrants_of` with their list data; ``cells``:
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


def months(world: World, count: int, expected: pl.Series) -> Iterator[Month]:
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
    """Return the events that begin in ``month`` (from 1), played to their end. ``expected`` as in :func:`months`."""
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
