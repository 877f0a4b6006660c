"""Elo with one K for everybody: the values of a rule file, and the step of a month."""

from dataclasses import dataclass
from importlib.resources import files
from typing import ClassVar

import polars as pl

from ratinglist.rating.rules import FixedEntryRules, SystemSections, ThousandthsRules
from ratinglist.rating.systems.month import (
    SystemMonth,
    SystemResult,
    as_sides,
    changed,
    changes_of,
    next_state,
    scored,
    summed,
    with_unlisted,
)
from ratinglist.rating.systems.system import RatingSystem
from ratinglist.strict_toml import Whole


@dataclass(frozen=True, slots=True)
class CoefficientRules:
    """K, the same for all players."""

    k: Whole


@dataclass(frozen=True, slots=True)
class PlainRules(SystemSections):
    """The sections of a rule file."""

    SYSTEM: ClassVar = "plain-elo"
    expected_score: ThousandthsRules
    development_coefficient: CoefficientRules
    entry: FixedEntryRules


def rate(month: SystemMonth, rules: PlainRules) -> SystemResult:
    """Calculate the list of a month: a player who is not listed counts as the entry rating."""
    k, entry = pl.lit(rules.development_coefficient.k, pl.Int32), rules.entry.rating
    table = month.tables[rules.expected_score.table]
    sides = scored(with_unlisted(month.sides, entry), k, table, "thousandths")
    computed = changed(month, summed(sides, "thousandths"), pl.lit(entry))
    return SystemResult(
        sides=as_sides(sides),
        changes=changes_of(month, computed),
        list_state=next_state(month, computed, k),
    )


SYSTEM = RatingSystem(PlainRules, rate, rules=files(__name__) / "rules")
