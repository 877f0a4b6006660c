"""Name the package whose system fails: an officer reads which one, where, and whom to tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from traceback import extract_tb
from typing import Any

import polars as pl

import ratinglist
from ratinglist.errors import RatinglistError, RulesError
from ratinglist.rating.systems.month import SystemMonth, SystemResult
from ratinglist.rating.systems.system import RatingSystem
from ratinglist.system_errors import is_shortage
from ratinglist.tables import LIST_STATE, SYSTEM_CHANGE, SYSTEM_SIDE, SYSTEM_STATE

_KEPT = "No list was changed, and what was received is kept."


def with_named_failures(system: RatingSystem, named: str, author: str) -> RatingSystem:
    """Return a system of another package whose functions raise :class:`RulesError` where they fail.

    ``named``: the system, its package and version, as a sentence begins with them. ``author``: whom to tell; may be
    empty.
    """
    tell = f"Send this message to {author or 'the author of the package'}."

    def named_failure(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            of = next((f" for the list of {one.period}" for one in given if isinstance(one, SystemMonth)), "")
            try:
                result = function(*given)
            except BaseException as error:
                # Polars raises a panic, which is no Exception; an interrupt, or a full disk, is no failure of a system.
                if isinstance(error, RatinglistError | KeyboardInterrupt | MemoryError) or is_shortage(error):
                    raise
                reason = f"{type(error).__name__}: {error}".partition("\n")[0]
                raise RulesError(f"{named} failed{of} ({reason}; {_place(error)}). {_KEPT} {tell}") from error
            if isinstance(result, SystemResult) and (lacks := _lacks(result, system)):
                raise RulesError(f"{named} failed{of}: {lacks}. {_KEPT} {tell}")
            return result

        return call

    expected = system.expected_of_white
    return replace(
        system,
        rate=named_failure(system.rate),
        expected_of_white=None if expected is None else named_failure(expected),
    )


def _place(error: BaseException) -> str:
    """Return the file and line of the package where an error began: the last one outside of ratinglist and Polars."""
    frames = extract_tb(error.__traceback__)
    others = (*ratinglist.__path__, *pl.__path__)
    of_package = [one for one in frames if not one.filename.startswith(others)]
    last = (of_package or frames)[-1]
    return f"{last.filename}, line {last.lineno}"


def _lacks(result: SystemResult, system: RatingSystem) -> str:
    """Return the column that a result lacks, as the end of a sentence; empty where it has all."""
    tables = {
        "changes": SYSTEM_CHANGE.extended(system.change_columns),
        "list_state": LIST_STATE,
        "sides": SYSTEM_SIDE.extended(system.game_columns if len(result.sides) else {}),
        **({"system_state": SYSTEM_STATE.extended(system.list_columns)} if system.list_columns else {}),
    }
    for name, table in tables.items():
        rows = getattr(result, name)
        for column, declared in table.columns.items():
            if rows.schema.get(column) != declared.dtype:
                return f"its {name} lack the column '{column}', or have it with another type"
    return ""
