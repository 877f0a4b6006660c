"""The published tables of a month, from its calculation to rows that are ready to write."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import polars as pl

from ratinglist.errors import CheckError
from ratinglist.period import Period
from ratinglist.rating import rating_list
from ratinglist.rating.model import MonthInputs, MonthResult, system_of
from ratinglist.rating.rating_list import PlayerLookup
from ratinglist.rating.rules import RuleBook, SystemRuleSet
from ratinglist.rating.systems.own_state import KeptState
from ratinglist.rating.systems.registry import SYSTEMS
from ratinglist.tables import LISTS, PUBLISHED, UNRATED, Table, published_table

_MAY_BE_ABSENT = {*LISTS, "diff"}
"""A list without players, the diff of a first revision."""


@dataclass(frozen=True, slots=True)
class EncodedTable:
    """A table whose text columns are still row numbers or dictionary codes: millions of strings would fill the memory.

    ``encoded``: all rows, in their published order. ``schema``: of the table. ``decode`` returns any slice of them with
    the columns of the table, low-cardinality text dictionary-encoded
    (:meth:`~ratinglist.tables.Table.conform_encoded`). ``check`` is called with the last row of the slice before (None
    for the first) and the decoded slice, and raises :class:`CheckError`.
    """

    encoded: pl.DataFrame
    schema: pl.Schema
    decode: Callable[[pl.DataFrame], pl.DataFrame]
    check: Callable[[pl.DataFrame | None, pl.DataFrame], None] = lambda _before, _rows: None

    @classmethod
    def of(cls, encoded: pl.DataFrame, decode: Callable[[pl.DataFrame], pl.DataFrame]) -> EncodedTable:
        """Return the table of these rows."""
        return cls(encoded, decode(encoded.clear()).cast({pl.Enum: pl.String}).schema, decode)

    @property
    def height(self) -> int:
        """Return the number of rows."""
        return self.encoded.height

    def slices(self, most: int) -> Iterator[pl.DataFrame]:
        """Yield the decoded table in slices of ``most`` rows, the last one perhaps of fewer."""
        before = None
        for encoded in self.encoded.iter_slices(most) if self.height else ():
            rows = self.decode(encoded)
            self.check(before, rows)
            yield rows
            before = rows.tail(1)


Rows = pl.DataFrame | EncodedTable
"""The rows of a published table."""


def slices_of(table: Rows, most: int) -> Iterator[pl.DataFrame]:
    """Yield the rows of ``table`` in slices of at most ``most``."""
    return table.iter_slices(most) if isinstance(table, pl.DataFrame) else table.slices(most)


def tables_of(month: MonthResult, inputs: MonthInputs) -> dict[str, Rows]:
    """Return the published tables of a calculated month by file stem, ready to write."""
    system = system_of(inputs)
    published = PUBLISHED if system is None else SYSTEMS[system.system].published
    lists = lists_of(inputs.period, inputs.family, month.list_state, inputs.players, inputs.rules, month.system_state)
    listed = [table.encoded["fide_id"] for table in lists.values()]
    playing = [month.games.select(pl.col("fide_id").unique()), month.entries, month.pool]
    unrated = rating_list.unrated_players(rating_list.unlisted_among(playing, listed), inputs.players)
    tables: dict[str, Rows] = {
        "events": PUBLISHED["events"].conform(month.events),
    }
    others = {
        "games": month.games,
        "changes": month.changes,
        "entries": month.entries,
        "pool": month.pool,
        "unrated": unrated,
    }
    for stem, rows in others.items():
        table = UNRATED if stem == "unrated" else published[stem]
        tables[stem] = EncodedTable(rows, table.schema, table.conform_encoded)
    return {**tables, **lists}


def own_state_of(month: MonthResult, inputs: MonthInputs) -> KeptState | None:
    """Return the state that the system of a family keeps in a table of its own; None: it keeps none."""
    rule_set = system_of(inputs)
    state = None if rule_set is None else SYSTEMS[rule_set.system].state
    if rule_set is None or state is None:
        return None
    return KeptState(rule_set.system, state, state.table.sorted(month.own_state))


def lists_of(
    period: Period,
    family: str,
    state: pl.DataFrame,
    players: pl.DataFrame,
    book: RuleBook,
    system_state: pl.DataFrame,
) -> dict[str, EncodedTable]:
    """Return the published list of every time control that has a rule set, by file stem.

    In: ``state`` (``LIST_STATE``) of the month, ``players`` (``PLAYER``) as the list has them, ``system_state``
    (``SYSTEM_STATE``), which the list of another system than FIDE's shows in columns of its own.
    """
    lists: dict[str, EncodedTable] = {}
    lookup = PlayerLookup(players)
    for time_control in sorted(state["time_control"].unique()):
        rule_set = book.on(family, time_control, period.first_day)
        if rule_set is not None:
            of_control = state.filter(pl.col("time_control") == time_control)
            encoded = rating_list.encode_list(of_control, lookup, period, rule_set.list)
            if isinstance(rule_set, SystemRuleSet):
                encoded = rating_list.join_system_state(encoded, system_state, time_control)
            decode = partial(rating_list.decode_list, players=lookup, period=period, time_control=time_control)
            lists[time_control] = EncodedTable.of(encoded, decode)
    return lists


def checked(period: Period, tables: Mapping[str, Rows]) -> dict[str, Rows]:
    """Return the tables in the order of :data:`~ratinglist.tables.PUBLISHED`, with exactly their columns, sorted.

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
    if isinstance(rows, EncodedTable):
        # The order of a list is not that of its key, so two rows with one key need not be neighbours.
        if table.order:
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
