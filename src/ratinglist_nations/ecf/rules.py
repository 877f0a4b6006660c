"""The sections of a rule file of the English rating."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from ratinglist.rating.rules import SystemSections
from ratinglist.strict_toml import Text, Whole


@dataclass(frozen=True, slots=True)
class ExpectedRules:
    """The expected score by the difference, which is not cut: a table in hundredths."""

    table: Text


@dataclass(frozen=True, slots=True)
class CoefficientRules:
    """K of a full player; ``junior`` under the age of ``junior_under``. Halved against a partial opponent."""

    k: Whole
    junior: Whole
    junior_under: Whole
    against_partial: Literal["halved", "whole"]


@dataclass(frozen=True, slots=True)
class PerformanceRules:
    """The rating of new and partial players: a performance with one fictional draw, until ``full_games`` games.

    The fictional opponent has the rating ``nominal``, a junior's ``nominal_per_year`` for each year of age.
    """

    table: Text
    full_games: Whole
    nominal: Whole
    nominal_per_year: Whole


@dataclass(frozen=True, slots=True)
class ChangeRules:
    """The new rating is rounded once a month of play, a half upwards."""

    halves: Literal["up_of_rating"]


@dataclass(frozen=True, slots=True)
class CategoryRules:
    """Who leaves the list after ``lapse_months`` months without a game, and who is active."""

    lapse_months: Whole
    active_months: Whole
    active_games: Whole


@dataclass(frozen=True, slots=True)
class EcfRules(SystemSections):
    """The rating of the English Chess Federation."""

    SYSTEM: ClassVar = "ecf"
    expected_score: ExpectedRules
    development_coefficient: CoefficientRules
    performance: PerformanceRules
    change: ChangeRules
    category: CategoryRules
