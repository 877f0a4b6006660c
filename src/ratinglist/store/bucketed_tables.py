"""The tables of a month that was calculated in buckets, ready to write: each is read part by part."""

from __future__ import annotations

from functools import partial

import polars as pl

from ratinglist import readings
from ratinglist.engines.bucketed_month import BucketedMonth
from ratinglist.rating.model import GameDecoder
from ratinglist.schemas import LISTED, PUBLISHED, SYSTEM_STATE, UNRATED
from ratinglist.store.month_tables import CalculatedMonth, PartedTable, Rows


def tables_of_buckets(month: BucketedMonth, readings_of_list: int) -> CalculatedMonth:
    """Return what the folder of the calculated month is written from; see :mod:`ratinglist.readings`."""
    decode_games = partial(_decode_games, month.events.sort("event_no"))
    tables: dict[str, Rows] = {
        "games": PartedTable(month.sides, month.counts.sides, list(PUBLISHED["games"].columns), decode_games),
        "events": PUBLISHED["events"].conform(month.events),
    }
    for stem in ("changes", "entries", "pool"):
        table = PUBLISHED[stem]
        parts = partial(month.parts, stem)
        tables[stem] = PartedTable(parts, month.height(stem), list(table.columns), table.conform)
    if readings_of_list >= readings.WITH_UNRATED:
        columns = list(UNRATED.columns)
        tables["unrated"] = PartedTable(month.unrated, month.unrated_rows, columns, UNRATED.conform)
    controls = [one for one in month.time_controls if month.height("state", one)]
    for time_control in controls:
        parts = partial(month.listed, time_control)
        rows = month.height("listed", time_control)
        tables[time_control] = PartedTable(parts, rows, list(LISTED.columns), lambda listed: listed)
    state = PartedTable(month.states, month.height("state"), [], lambda rows: rows)
    return CalculatedMonth(
        tables=tables,
        state=state,
        lists=pl.DataFrame(
            {"time_control": controls, "month": [str(month.plan.period)] * len(controls)},
            schema={"time_control": pl.String(), "month": pl.String()},
        ),
        events=month.events,
        events_with_k=pl.Series("event_no", month.events_with_k, dtype=pl.UInt32()),
        system_state=SYSTEM_STATE.empty(),
    )


def _decode_games(numbered_events: pl.DataFrame, sides: pl.DataFrame) -> pl.DataFrame:
    """Decode a slice of sides with the texts of its own events: those of all events cost more than the slice.

    ``numbered_events``: row 0 has the ``event_no`` 0. The sides are sorted by event.
    """
    first, last = sides.item(0, "event_no"), sides.item(-1, "event_no")
    return GameDecoder(numbered_events.slice(first, last - first + 1)).decode(sides)
