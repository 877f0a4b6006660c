"""The tables of a month of which some players were calculated again: their rows replaced, each in its published place.

A table of which no row is another is not written again: the new calculation has links to the files of the one before.
"""

from __future__ import annotations

import polars as pl

from ratinglist.engine import BucketedMonth
from ratinglist.schemas import LISTS, PUBLISHED, encode_columns
from ratinglist.store.calculation_folder import CalculationFolder
from ratinglist.store.month_tables import CalculatedMonth, PartedTable, Rows, slices_of, tables_of
from ratinglist.store.table_files import ROW_GROUP

_FIDE_IDS, _ROUNDS = 2**37, 2**10
"""More than there are FIDE IDs, and rounds of an event: so one whole number orders the rows of a long table."""

_TABLES = ("games", "changes", "entries", "pool", "unrated", *LISTS)


def replaced_rows(
    before: CalculationFolder, reached: pl.Series, month: BucketedMonth, readings: int
) -> CalculatedMonth | None:
    """Return the tables of the calculation ``before`` with the rows that ``month`` has of the players ``reached``.

    None where a table comes or goes: then the month is calculated as a whole.
    """
    again = tables_of(month, readings)
    events = pl.read_parquet(before.events, glob=False, hive_partitioning=False)
    is_reached = pl.col("fide_id").is_in(reached.implode())
    tables: dict[str, Rows] = {}
    kept = ["events"]
    for stem in _TABLES:
        files = before.table_files(stem)
        now = _rows(again.tables[stem]).filter(is_reached) if stem in again.tables else PUBLISHED[stem].empty()
        if not files:
            if len(now):
                return None
            continue
        rows = pl.scan_parquet(files, glob=False, hive_partitioning=False)
        was = rows.filter(is_reached).collect()
        if was.equals(now):
            kept.append(stem)
            continue
        tables[stem] = _replaced(stem, rows.collect(), was, now, events.sort("event_no")["event_id"])
        if stem in LISTS and not tables[stem].height:
            return None
    state, now = before.read_state(), _rows(again.state).filter(is_reached)
    was = state.filter(is_reached)
    is_same_state = was.equals(now)
    controls = state["time_control"].unique()
    if not is_same_state:
        state = _spliced(state, was, now, _BY_PLAYER)
        if set(state["time_control"].unique()) != set(controls):
            return None
    names = [f"private/{path.name}" for path in ((before.events, before.state) if is_same_state else (before.events,))]
    return CalculatedMonth(
        tables=tables,
        state=None if is_same_state else state,
        lists=pl.DataFrame({"time_control": controls, "month": [str(before.period)] * len(controls)}),
        events=events,
        events_with_k=_events_with_k(tables.get("games"), before, events),
        system_state=again.system_state,
        kept=before.kept(kept, names),
    )


def _rows(rows: Rows | None) -> pl.DataFrame:
    """Return all rows of a short table, with their texts."""
    assert rows is not None  # noqa: S101 - a month that was calculated has all its tables
    if not isinstance(rows, pl.DataFrame) and not rows.height:
        return pl.DataFrame(schema=rows.schema)
    return pl.concat(one.cast({pl.Enum: pl.String}) for one in slices_of(rows, ROW_GROUP))


_BY_PLAYER = pl.col("time_control").replace_strict({"blitz": 0, "rapid": 1, "standard": 2}) * _FIDE_IDS + pl.col(
    "fide_id"
)


def _replaced(stem: str, rows: pl.DataFrame, was: pl.DataFrame, now: pl.DataFrame, event_ids: pl.Series) -> Rows:
    """Return the rows of a table with ``now`` in the place of ``was``, in their published order.

    ``event_ids``: in the order of the month's games.
    """
    if stem == "games":
        place = pl.col("event_id").cast(pl.Enum(event_ids)).to_physical().cast(pl.Int64)
        key = (place * _ROUNDS + pl.col("round")) * _FIDE_IDS + pl.col("fide_id")
    elif stem in LISTS:
        key = pl.col("fide_id") - pl.col("rating").cast(pl.Int64) * _FIDE_IDS
    elif stem == "changes":
        return _spliced(rows, was, now, _BY_PLAYER)
    else:
        others = rows.join(was, on=PUBLISHED[stem].key, how="anti")
        return PUBLISHED[stem].sorted(pl.concat([others, now]))
    spliced = _spliced(rows, was, now, key)
    # Texts are encoded as those of a whole month are: the bytes of a file depend on it.
    texts = [name for name, kind in spliced.schema.items() if kind == pl.String() and name != "name"]
    return PartedTable.of(encode_columns(spliced, texts), PUBLISHED[stem].conform_encoded)


def _spliced(rows: pl.DataFrame, was: pl.DataFrame, now: pl.DataFrame, key: pl.Expr) -> pl.DataFrame:
    """Return ``rows``, which are in the order of ``key``, with ``now`` in the place of ``was``.

    The pieces between the rows that differ are not copied: there are millions of rows, and few that differ.
    """
    going, coming = (
        one.join(other, on=rows.columns, how="anti", nulls_equal=True).sort(key)
        for one, other in ((was, now), (now, was))
    )
    keys = rows.select(key.alias("key"))["key"]
    places, new_places = (keys.search_sorted(one.select(key).to_series()).to_list() for one in (going, coming))
    pieces, end = [], 0
    cuts = [*((place, 1, -1) for place in places), *((place, 0, row) for row, place in enumerate(new_places))]
    for place, length, row in sorted(cuts):
        pieces += [rows.slice(end, place - end), coming.slice(max(row, 0), 1 - length)]
        end = place + length
    return pl.concat([*(one for one in pieces if one.height), rows.slice(end)])


def _events_with_k(games: Rows | None, before: CalculationFolder, events: pl.DataFrame) -> pl.Series:
    """Return the ``event_no`` of the events that rated a game."""
    rows = pl.scan_parquet(before.table_files("games"), glob=False)
    if isinstance(games, PartedTable) and games.encoded is not None:
        rows = games.encoded.lazy()
    rated = rows.filter("rated").select(pl.col("event_id").unique().cast(pl.String)).collect()["event_id"]
    return events.filter(pl.col("event_id").is_in(rated.implode()))["event_no"]
