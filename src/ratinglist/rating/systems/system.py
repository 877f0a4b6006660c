"""The one object that states a rating system: rules, month step, account, and what the laboratory needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from typing import Any

import polars as pl

from ratinglist.rating.system_rules import SystemSections
from ratinglist.rating.systems.account import SystemAccount
from ratinglist.rating.systems.month import SystemMonth, SystemResult


@dataclass(frozen=True, slots=True)
class InParts:
    """The month step of a system that can be studied in several buckets of events.

    ``of_part``: returns what the list needs of a bucket's sides. ``of_parts``: calculates the list from all of these
    and from the inputs without sides.
    """

    of_part: Callable[[SystemMonth, Any], Any]
    of_parts: Callable[[SystemMonth, Sequence[Any], Any], SystemResult]


@dataclass(frozen=True, slots=True)
class RatingSystem:
    """One system.

    ``sections``: the dataclass of its rule files, which has the name. ``rate``: the month step; a list, games and rules
    in, the new list out. ``account``: what it states of its lists; its figures are the check before a publication.
    ``rules``: the folder of its rule files, ``family/time control/YYYY-MM-DD.toml``; None: they come with the program.
    ``in_parts``: the month step of a system with lists of half a year. ``needs_rated``: whether a player enters by
    games against rated players alone, so that from scratch it rates none. ``expected_of_white``: for the laboratory,
    White's expected score of the columns ``white_rating``, ``black_rating`` and the same of ``games``,
    ``rating_hundredths`` and ``deviation_hundredths``; None: by the table of its section ``expected_score``, else by
    the logistic curve.
    """

    sections: type[SystemSections]
    rate: Callable[[SystemMonth, Any], SystemResult]
    account: SystemAccount
    rules: Traversable | None = None
    in_parts: InParts | None = None
    needs_rated: bool = False
    expected_of_white: Callable[[Any], pl.Expr] | None = None
