"""The one object that states a rating system: rules, month step, columns, and what the laboratory needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from typing import Any

import polars as pl

from ratinglist.rating.system_rules import SystemSections
from ratinglist.rating.systems.month import SystemMonth, SystemResult
from ratinglist.rating.systems.own_state import OwnState
from ratinglist.tables import LISTS, SYSTEM_PUBLISHED, Column, Table, of_diff


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
