"""The published tables of a month, from its calculation to rows that are ready to write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from ratinglist.errors import CheckError
from ratinglist.period import Period
from ratinglist.rating import rating_list, readings
from ratinglist.rating.model import GameDecoder
from ratinglist.rating.rating_list import PlayerLookup
from ratinglist.rating.rules import RuleBook, SystemRuleSet
from ratinglist.rating.systems.own_state import KeptState
from ratinglist.rating.systems.registry import SYSTEMS
from ratinglist.schemas import LIST_STATE, LISTS, PUBLISHED, UNRATED, Table, published_table

if TYPE_CHECKING:
    from ratinglist.engine import BucketedMonth
    from ratinglist.store.table_files import FileEntry

_MAY_BE_ABSENT = {*LISTS, "unrated", "diff"}
"""A list without players, the names of unrated players by earlier readings, the diff of a first revision."""


@dataclass(frozen=True, slots=True)
class PartedTable:
    """A table whose text columns are still row numbers or dictionary codes: millions of strings would fill the memory.

    Its parts are read one after the other, as often as it is written, and a writer decodes one slice after the other.
    ``parts`` returns an iterator of the encoded rows, in their published order. ``height``, ``schema``: of the table.
    ``decode`` returns any slice of them with the columns of the table, low-cardinality text dictionary-encoded
    (:meth:`~ratinglist.schemas.Table.conform_encoded`). ``check`` is called with the last row of the slice before (None
    for the first) and the decoded slice, and raises :class:`CheckError`. ``encoded``: all rows, where they are in
    memory; else no two parts have rows with one key.
    """

    parts: Callable[[], Iterable[pl.DataFrame]]
    height: int
    schema: pl.Schema
    decode: Callable[[pl.DataFrame], pl.DataFrame]
    check: Callable[[pl.DataFrame | None, pl.DataFrame], None] = lambda _before, _rows: None
    encoded: pl.DataFrame | None = None

    @classmethod
    def of(cls, encoded: pl.DataFrame, decode: Callable[[pl.DataFrame], pl.DataFrame]) -> PartedTable:
        """Return the table of rows that are in memory."""
        schema = decode(encoded.clear()).cast({pl.Enum: pl.String}).schema
        return cls(lambda: [encoded], encoded.height, schema, decode, encoded=encoded)

    def slices(self, most: int) -> Iterator[pl.DataFrame]:
        """Yield the decoded table in slices of ``most`` rows, the last one perhaps of fewer, whatever the parts are."""
        before = None
        for encoded in self._slices(most):
            rows = self.decode(encoded)
            self.check(before, rows)
            yield rows
            before = rows.tail(1)

    def _slices(self, most: int) -> Iterator[pl.DataFrame]:
        rest: pl.DataFrame | None = None
        for part in self.parts():
            rows = part if rest is None else pl.concat([rest, part])
            whole = rows.height // most * most
            yield from rows.head(whole).iter_slices(most)
            rest = rows.tail(rows.height - whole)
        if rest is not None and rest.height:
            yield rest


Rows = pl.DataFrame | PartedTable
"""The rows of a published table."""


def slices_of(table: Rows, most: int) -> Iterator[pl.DataFrame]:
    """Yield the rows of ``table`` in slices of at most ``most``."""
    return table.iter_slices(most) if isinstance(table, pl.DataFrame) else table.slices(most)


@dataclass(frozen=True, slots=True)
class CalculatedMonth:
    """What the folder of a calculated month is written from.

    ``tables``: the published tables by file stem. ``state``: ``LIST_STATE``. ``lists``:
    :func:`~ratinglist.rating.model.distinct_lists` of it. ``events``: ``EVENT`` with ``event_no``, ``rule_set`` and
    ``report_id``. ``events_with_k``: the ``event_no`` of those that rated a game. ``system_state``: ``SYSTEM_STATE``.
    ``own_state``: the system's own state, where it keeps one. ``kept``: files of the calculation before that are this
    one's too, by name: where each is, and what a manifest states of it. Of their tables there are no rows here.
    """

    tables: dict[str, Rows]
    state: Rows | None
    lists: pl.DataFrame
    events: pl.DataFrame
    events_with_k: pl.Series
    system_state: pl.DataFrame
    own_state: KeptState | None = None
    kept: Mapping[str, tuple[Path, FileEntry]] = field(default_factory=dict)


def tables_of(month: BucketedMonth, readings_of_list: int) -> CalculatedMonth:
    """Return the tables of a calculated month, ready to write: each is read bucket by bucket.

    ``readings_of_list``: by the newest ones, unrated players are named (:mod:`ratinglist.rating.readings`).
    """
    published = PUBLISHED if month.plan.system is None else SYSTEMS[month.plan.system.system].published

    def parted(parts: Callable[[], Iterable[pl.DataFrame]], rows: int, table: Table) -> PartedTable:
        return PartedTable(parts, rows, table.schema, table.conform_encoded)

    games = partial(_decode_games, month.events.sort("event_no"))
    tables: dict[str, Rows] = {
        "games": PartedTable(month.sides, month.counts.sides, published["games"].schema, games),
        "events": PUBLISHED["events"].conform(month.events),
    }
    for stem in ("changes", "entries", "pool"):
        tables[stem] = parted(partial(month.parts, stem), month.height(stem), published[stem])
    if readings_of_list >= readings.WITH_UNRATED:
        tables["unrated"] = parted(month.unrated, month.unrated_rows, UNRATED)
    controls = [one for one in month.time_controls if month.height("state", one)]
    for time_control in controls:
        rows = month.height("listed", time_control)
        tables[time_control] = parted(partial(month.listed, time_control), rows, published[time_control])
    return CalculatedMonth(
        tables=tables,
        state=PartedTable(month.states, month.height("state"), LIST_STATE.schema, lambda rows: rows),
        lists=pl.DataFrame(
            {"time_control": controls, "month": [str(month.plan.period)] * len(controls)},
            schema={"time_control": pl.String(), "month": pl.String()},
        ),
        events=month.events,
        events_with_k=pl.Series("event_no", month.events_with_k, dtype=pl.UInt32()),
        system_state=month.system_state,
        own_state=month.own_state,
    )


def _decode_games(numbered_events: pl.DataFrame, sides: pl.DataFrame) -> pl.DataFrame:
    """Decode a slice of sides with the texts of its own events: those of all events cost more than the slice.

    ``numbered_events``: row 0 has the ``event_no`` 0. The sides are sorted by event.
    """
    first, last = sides.item(0, "event_no"), sides.item(-1, "event_no")
    return GameDecoder(numbered_events.slice(first, last - first + 1)).decode(sides)


def lists_of(
    period: Period,
    family: str,
    state: pl.DataFrame,
    players: pl.DataFrame,
    book: RuleBook,
    system_state: pl.DataFrame,
) -> dict[str, PartedTable]:
    """Return the published list of every time control that has a rule set, by file stem.

    In: ``state`` (``LIST_STATE``) of the month, ``players`` (``PLAYER``) as the list has them, ``system_state``
    (``SYSTEM_STATE``), which the list of another system than FIDE's shows in columns of its own.
    """
    lists: dict[str, PartedTable] = {}
    lookup = PlayerLookup(players)
    for time_control in sorted(state["time_control"].unique()):
        rule_set = book.on(family, time_control, period.first_day)
        if rule_set is not None:
            of_control = state.filter(pl.col("time_control") == time_control)
            encoded = rating_list.encode_list(of_control, lookup, period, rule_set.list)
            if isinstance(rule_set, SystemRuleSet):
                encoded = rating_list.join_system_state(encoded, system_state, time_control)
            decode = partial(rating_list.decode_list, players=lookup, period=period, time_control=time_control)
            lists[time_control] = PartedTable.of(encoded, decode)
    return lists


def checked(period: Period, tables: Mapping[str, Rows]) -> dict[str, Rows]:
    """Return the tables in the order of :data:`~ratinglist.schemas.PUBLISHED`, with exactly their columns, sorted.

    The values of an encoded table are checked when its slices are decoded. Raises :class:`CheckError` where a table is
    unknown, a key is not unique, an obligatory value is empty, or a row belongs to another list;
    ``polars.exceptions`` errors where a frame does not have its table's columns.
    """
    if unknown := set(tables) - set(PUBLISHED):
        raise CheckError(f"Unknown tables: {', '.join(sorted(unknown))}. Nothing was published.")
    return {
        stem: _checked(stem, published_table(stem, tables[stem].schema), tables[stem], str(period))
        for stem in PUBLISHED
        if stem in tables
    }


def check_complete(stems: Sequence[str]) -> None:
    """Raise :class:`CheckError` where a table that every revision has is missing."""
    if missing := set(PUBLISHED) - _MAY_BE_ABSENT - set(stems):
        raise CheckError(f"Missing tables: {', '.join(sorted(missing))}. Nothing was published.")


def _checked(stem: str, table: Table, rows: Rows, month: str) -> Rows:
    if isinstance(rows, PartedTable):
        # The order of a list is not that of its key, so two rows with one key need not be neighbours.
        if table.order and rows.encoded is not None:
            _check_keys(stem, [name for name in table.key if name in rows.encoded.columns], rows.encoded)
        return replace(rows, check=partial(_check_slice, stem, table, month))
    frame = table.conform(rows)
    in_order = table.is_in_order(frame)
    _check_values(stem, table, frame, month)
    if table.order or not in_order:
        _check_keys(stem, table.key, frame)
    return frame if in_order else table.sorted(frame)


def _check_slice(stem: str, table: Table, month: str, before: pl.DataFrame | None, rows: pl.DataFrame) -> None:
    """Check one slice: values, keys and the order, across the border to the slice before too."""
    _check_values(stem, table, rows, month)
    # Two slices may be encoded by different dictionaries.
    ends = [rows.head(1)] if before is None else [before, rows.head(1)]
    border = pl.concat(one.cast({pl.Enum: pl.String}) for one in ends)
    if not (table.is_in_order(border) and table.is_in_order(rows)):
        _check_keys(stem, table.key, border)
        _check_keys(stem, table.key, rows)
        raise CheckError(f"{stem}: the rows are not in their published order. Nothing was published.")


def _check_values(stem: str, table: Table, frame: pl.DataFrame, month: str) -> None:
    for name, column in table.columns.items():
        if not column.null and frame.get_column(name).null_count():
            if stem in LISTS and name == "name":
                nameless = ", ".join(map(str, frame.filter(pl.col("name").is_null())["fide_id"].sort().head(5)))
                raise CheckError(
                    f"The {stem} list has players who are not registered: {nameless}. Was the file undone that "
                    "registered them? Register them again (ratinglist import-players), or calculate "
                    "the lists again that they are on (ratinglist rerate). Nothing was published."
                )
            raise CheckError(f"{stem}: {name} is empty in some rows. Nothing was published.")
    if stem in LISTS:
        strange = frame.filter((pl.col("list_month") != month) | (pl.col("time_control") != stem)).sort("fide_id")
        if strange.height:
            raise CheckError(
                f"{stem}: player {strange.item(0, 'fide_id')} belongs to the {strange.item(0, 'time_control')} list "
                f"of {strange.item(0, 'list_month')}, not to that of {month}. Nothing was published."
            )


def _check_keys(stem: str, key: Sequence[str], frame: pl.DataFrame) -> None:
    # Where one number of the key is unique, so is the whole key.
    if any(frame[name].dtype == pl.Int64 and frame[name].n_unique() == frame.height for name in key):
        return
    twice = frame.filter(frame.select(key).is_duplicated()).sort(key)
    if twice.height:
        first = ", ".join(f"{name} {twice.item(0, name)}" for name in key)
        raise CheckError(f"{stem}: more than one row for {first}. Nothing was published.")
