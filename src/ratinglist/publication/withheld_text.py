"""Withhold a text that the store has from an earlier version, and that has a date of birth, when it is published."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import cast

from ratinglist.config import Settings
from ratinglist.period import Period
from ratinglist.store.birth_dates import text_problem
from ratinglist.store.database import Store

WITHHELD = "withheld: the text has a date of birth"
_WRITTEN = ("reason", "who")


def of_corrections(
    store: Store,
    settings: Settings,
    period: Period,
    corrections: Sequence[Mapping[str, object]],
    printed: Collection[int],
) -> list[Mapping[str, object]]:
    """Return the corrections, with :data:`WITHHELD` in the place of each reason and person with a date of birth.

    In: ``corrections``: rows with ``correction_no``, ``fide_ids`` (the players it names), ``reason`` and ``who``;
    ``printed``: the numbers of those that are printed; the others are returned unchanged.
    """
    found = []
    for one in corrections:
        if one["correction_no"] not in printed:
            found.append(one)
            continue
        ids = cast("list[int]", one["fide_ids"])
        problems = {
            name: text_problem(store, str(one[name]), settings.today, played=period.first_day, named=ids)
            for name in _WRITTEN
        }
        found.append({**one, **{name: WITHHELD for name, problem in problems.items() if problem}})
    return found
