"""Month after month of a world: what is registered, what is played, and which reports arrive."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from ratinglist.period import Period
from ratinglist.simulation import people
from ratinglist.simulation.deliveries import deliveries_of, with_plants
from ratinglist.simulation.entrants import entrants_of
from ratinglist.simulation.events import events_of
from ratinglist.simulation.matches import ended
from ratinglist.simulation.opening_lists import registrations
from ratinglist.simulation.participation import wishes
from ratinglist.simulation.plan import World
from ratinglist.simulation.play import play

_OF_EVENT = (
    *("event_no", "begins_on", "system", "event_type", "time_control", "clock", "minutes", "rounds", "name", "city"),
    *("federation", "arbiter", "official", "is_long", "days", "registered_on", "teams"),
)


@dataclass(frozen=True, slots=True)
class Held:
    """What is held in one month, or was and is not wholly reported yet.

    ``events``: :func:`~ratinglist.simulation.events.events_of`, with plants; ``entrants``:
    :func:`~ratinglist.simulation.entrants.entrants_of` with their data; ``cells``:
    :func:`~ratinglist.simulation.play.play`; ``deliveries``: :func:`~ratinglist.simulation.deliveries.deliveries_of`.
    """

    events: pl.DataFrame
    entrants: pl.DataFrame
    cells: pl.DataFrame
    deliveries: pl.DataFrame

    def of(self, deliveries: pl.DataFrame) -> Held:
        """Only ``deliveries``, and of everything else what they tell of."""
        told = pl.col("event_no").is_in(deliveries["event_no"].unique().implode())
        return Held(self.events.filter(told), self.entrants.filter(told), self.cells.filter(told), deliveries)

    @classmethod
    def both(cls, first: Held, second: Held) -> Held:
        """What stands in either."""
        return cls(
            pl.concat([first.events, second.events]),
            pl.concat([first.entrants, second.entrants]),
            pl.concat([first.cells, second.cells]),
            pl.concat([first.deliveries, second.deliveries]),
        )


@dataclass(frozen=True, slots=True)
class Month:
    """One month for the office: its list, who is registered before the reports, and the reports that arrive.

    ``due`` are the deliveries by number (``delivery``, from 0) with what the manifest and the texts need of their
    events; ``entrants`` and ``cells`` belong to them. ``held`` is what began in the month, whenever it is reported.
    """

    period: Period
    registrations: pl.DataFrame
    due: pl.DataFrame
    entrants: pl.DataFrame
    cells: pl.DataFrame
    held: Held


def months(world: World, count: int, expected: pl.Series) -> Iterator[Month]:
    """The first ``count`` months of ``world``; a month is the same however many follow it.

    ``expected``: as for :func:`~ratinglist.simulation.play.play`.
    """
    waiting: Held | None = None
    for month in range(1, count + 1):
        held = hold(world, month, expected)
        known = held if waiting is None else Held.both(waiting, held)
        arriving = known.of(known.deliveries.filter(pl.col("month") == month))
        waiting = known.of(known.deliveries.filter(pl.col("month") > month))
        yield Month(
            world.period(month),
            registrations(world, month),
            due_of(arriving),
            arriving.entrants,
            arriving.cells,
            held,
        )


def hold(world: World, month: int, expected: pl.Series) -> Held:
    """Everything that begins in ``month`` (from 1), played to its end."""
    wished = wishes(world, month)
    events = with_plants(events_of(world, month, wished), world)
    entrants = entrants_of(world, month, events, wished)
    cells = play(
        events.select("event_no", "system", "rounds"),
        entrants.select(
            *("event_no", "start_number", pl.col("strength").cast(pl.Int32), "team", "board"),
            *("enters_round", "leaves_after"),
        ),
        world.seed,
        expected,
    )
    events = ended(events, cells)
    return Held(events, people.with_data(entrants, world, month), cells, deliveries_of(world, events))


def due_of(arriving: Held) -> pl.DataFrame:
    """The deliveries of ``arriving``, numbered by file, with what manifest and texts need: ``due`` of a month."""
    events = arriving.events.rename({"start_date": "begins_on"}).select(_OF_EVENT)
    return (
        arriving.deliveries.join(events, on="event_no", maintain_order="left")
        .sort("file")
        .with_columns(pl.int_range(pl.len(), dtype=pl.UInt32).alias("delivery"))
    )
