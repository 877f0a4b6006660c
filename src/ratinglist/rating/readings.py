"""The readings that a delivery was loaded by, or a month calculated by: a number that grows with each change of them.

A reading decides what the regulations leave open, or which tables a month has. A list keeps the readings that it was
published by, so a home of before rerates, rebuilds and reproduces the same bytes.

- ``1``: a report without a time control is taken as standard. Under two codes, a game with the same players, colours,
  round, result and day counts once.
- ``2``: a report without a time control waits. Under two codes, a game counts once where the events are plainly the
  same (:mod:`ratinglist.rating.duplicate_games`).
- ``3``: the names of the players who are on no list are published too (``UNRATED``).
- ``4``: what a refused report says of its event is not published, nor the name of an event with a date of birth that
  the office knows. A code with such a date refuses its report.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

FIRST: Final = 1
WITH_UNRATED: Final = 3
WITHHELD: Final = 4
NEWEST: Final = 4
_KEY: Final = "readings"


def as_fact(readings: int) -> dict[str, int]:
    """Return the readings as a fact to be recorded; nothing of the first ones, which no one recorded."""
    return {} if readings == FIRST else {_KEY: readings}


def recorded(facts: Mapping[str, Any]) -> int:
    """Return the readings in recorded facts."""
    return int(facts.get(_KEY, FIRST))
