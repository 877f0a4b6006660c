"""The one object that states a rating system: rules, month step, columns, and what the laboratory needs.

A system of another package is named where it fails: an officer reads which one, where, and whom to tell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib.resources.abc import Traversable
from traceback import extract_tb
from typing import Any

import polars as pl

import ratinglist
from ratinglist.errors import RatinglistError, RulesError, is_shortage
from ratinglist.rating.rules import SystemSections
from ratinglist.rating.systems.month import SystemMonth, SystemResult
from ratinglist.tables import (
    LIST_STATE,
    LISTS,
    SYSTEM_CHANGE,
    SYSTEM_PUBLISHED,
    SYSTEM_SIDE,
    SYSTEM_STATE,
    Column,
    Table,
    of_diff,
)


@dataclass(frozen=True, slots=True)
class OwnState:
    """What a system declares of its own state: a table with a row for each player, or with several.

    ``version``: counts up with every change of the columns, or of what they mean; a state of another version is not
    read. ``columns``: ``fide_id`` and the others. ``key``: what identifies a row; where a FIDE ID was merged into
    another, the other's rows go before those with the same key.
    """

    version: int
    columns: Mapping[str, Column]
    key: tuple[str, ...] = ("fide_id",)

    @property
    def table(self) -> Table:
        """Return the table."""
        return Table("own_state", "row that the system keeps", dict(self.columns), key=self.key)

    def of(self, kept: pl.DataFrame) -> pl.DataFrame:
        """Return the rows kept of the list before, with all columns; none where that list has no state."""
        return self.table.conform(kept) if self.columns.keys() <= set(kept.columns) else self.table.empty()


@dataclass(frozen=True, slots=True)
class RatingSystem:
    """One system.

    ``sections``: the dataclass of its rule files, which has the name. ``rate``: the month step; a list, games and rules
    in, the new list out. ``rules``: the folder of its rule files, ``family/time control/YYYY-MM-DD.toml``; None: they
    come with the program. ``needs_rated``: whether a player enters by games against rated players alone, so that from
    scratch it rates none. ``expected_of_white``: for the laboratory, White's expected score of the columns
    ``white_rating``, ``black_rating`` and the same of ``games``, ``rating_hundredths`` and ``deviation_hundredths``;
    None: by the table of its section ``expected_score``, else by the logistic curve.
    ``state``: the table of its own that it keeps from list to list; None: none. ``list_columns``, ``change_columns``,
    ``game_columns``: columns of its own at the end of its published lists, changes and games; the month step returns
    those of the lists with the columns of ``SYSTEM_STATE``. ``reads_references``: whether its lists depend on reference
    lists. ``rules_of_event_end``: whether an event is rated by the rule set in force when it ended, not when it began.
    ``levels``: the lower limit of each level by which statistics show the players of a list, the lowest first.
    """

    sections: type[SystemSections]
    rate: Callable[[SystemMonth, Any], SystemResult]
    rules: Traversable | None = None
    needs_rated: bool = False
    expected_of_white: Callable[[Any], pl.Expr] | None = None
    state: OwnState | None = None
    list_columns: Mapping[str, Column] = field(default_factory=dict)
    change_columns: Mapping[str, Column] = field(default_factory=dict)
    game_columns: Mapping[str, Column] = field(default_factory=dict)
    reads_references: bool = False
    rules_of_event_end: bool = False
    levels: Mapping[str, int] = field(default_factory=dict)

    @property
    def own_columns(self) -> dict[str, Mapping[str, Column]]:
        """Return the columns that the system adds to its published tables, by file stem."""
        own = {"changes": self.change_columns, "games": self.game_columns, "diff": of_diff(self.list_columns)}
        return {**dict.fromkeys(LISTS, self.list_columns), **own}

    @property
    def published(self) -> dict[str, Table]:
        """Return the published tables by file stem, with the system's own columns at the end."""
        own = self.own_columns
        return {stem: table.extended(own.get(stem, {})) for stem, table in SYSTEM_PUBLISHED.items()}


def with_named_failures(system: RatingSystem, named: str) -> RatingSystem:
    """Return a system of another package whose month step raises :class:`RulesError` where it fails.

    ``named``: the system, its package and version, as a sentence begins with them.
    """

    def rate(month: SystemMonth, rules: Any) -> SystemResult:
        try:
            result = system.rate(month, rules)
            failure = _lacks(result, system)
        except BaseException as error:
            # Polars raises a panic, which is no Exception; an interrupt, or a full disk, is no failure of a system.
            if isinstance(error, RatinglistError | KeyboardInterrupt | MemoryError) or is_shortage(error):
                raise
            failure = f"{type(error).__name__}: {error}".partition("\n")[0] + f"; {_place(error)}"
        if failure:
            raise RulesError(
                f"{named} failed for the list of {month.period} ({failure}). No list was changed, and what was "
                "received is kept. Send this message to the author of the package, whom pip show names."
            )
        return result

    return replace(system, rate=rate)


def _place(error: BaseException) -> str:
    """Return the file and line of the package where an error began: the last one outside of ratinglist and Polars."""
    frames = extract_tb(error.__traceback__)
    others = (*ratinglist.__path__, *pl.__path__)
    last = [*frames[-1:], *(frame for frame in frames if not frame.filename.startswith(others))][-1]
    return f"{last.filename}, line {last.lineno}"


def _lacks(result: SystemResult, system: RatingSystem) -> str:
    """Return the first column that a result lacks; empty where it has all."""
    tables = {
        "changes": SYSTEM_CHANGE.extended(system.change_columns),
        "list_state": LIST_STATE,
        "sides": SYSTEM_SIDE.extended(system.game_columns if len(result.sides) else {}),
        **({"system_state": SYSTEM_STATE.extended(system.list_columns)} if system.list_columns else {}),
    }
    lacking = (
        f"its {name} lack the column '{column}', or have it with another type"
        for name, table in tables.items()
        for column, declared in table.columns.items()
        if getattr(result, name).schema.get(column) != declared.dtype
    )
    return next(lacking, "")
