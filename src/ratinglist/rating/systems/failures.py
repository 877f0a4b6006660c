"""Name the package whose system fails: an officer reads which one, where, and whom to tell."""

from __future__ import annotations

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


def with_named_failures(system: RatingSystem, named: str, author: str) -> RatingSystem:
    """Return a system of another package whose month step raises :class:`RulesError` where it fails.

    ``named``: the system, its package and version, as a sentence begins with them. ``author``: whom to tell; may be
    empty.
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
                f"received is kept. Send this message to {author or 'the author of the package'}."
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
