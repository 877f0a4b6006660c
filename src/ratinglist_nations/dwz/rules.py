"""The sections of a rule file of the German rating."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from ratinglist.rating.rules import SystemSections
from ratinglist.strict_toml import Allowed, Whole


def _numbers(value: str) -> None:
    if value and not re.fullmatch(r"\d+(, \d+){10}", value):
        raise ValueError(
            f"is '{value}': write eleven numbers such as '60, 60, 48, ...', for the index 1 to 10 and above"
        )


ByIndex = Annotated[str, Allowed(_numbers)]


@dataclass(frozen=True, slots=True)
class ExpectedRules:
    """The expected score: a normal distribution, as the table that the package has."""

    distribution: Literal["normal_200"]
    precision: Literal["billionths"]


@dataclass(frozen=True, slots=True)
class PlayerRules:
    """Age groups, by the year of the event's end less the year of birth, and players with a FIDE rating."""

    young_until: Whole
    junior_until: Whole
    unknown_age: Literal["adult"]
    foreign_index: Whole
    foreign_development_index: Whole
    fide_from: Whole


@dataclass(frozen=True, slots=True)
class DevelopmentRules:
    """The development coefficient: K by index in the text of 2026, E by the rating's fourth power in that of 2014."""

    formula: Literal["index_table", "fourth_power"]
    k_under_26: ByIndex
    under_26_below: Whole
    k_adult: ByIndex
    adult_below: Whole
    k_others: ByIndex
    brake_below: Whole
    brake_added: Whole
    young_bonus_below: Whole
    young_bonus_divisor: Whole
    others_bonus_below: Whole
    junior_bonus: Whole
    adult_bonus: Whole
    most: Whole
    factor: Whole
    young: Whole
    junior: Whole
    adult: Whole
    least: Whole
    per_index: Whole
    most_braked: Whole


@dataclass(frozen=True, slots=True)
class DwzChangeRules:
    """From the exact rating to a whole number, and the lowest rating; 0: none."""

    halves: Literal["away_from_zero"]
    minimum: Whole


@dataclass(frozen=True, slots=True)
class FirstRatingRules:
    """First ratings: how many games, how many rounds, how long games are stored, and what is published."""

    games: Whole
    rounds: Whole
    root: Literal["smallest_integer"]
    stored_years: Whole
    at_all_points: Literal["none"]
    published: Literal["eighth_below_800", "towards_2000"]
    r_hundredths: Whole


@dataclass(frozen=True, slots=True)
class PerformanceRules:
    """The performance in an event: from how many games on, and where all points were won or lost.

    ``at_all_points``: the mean of the opponents and ``difference``, for no point less it; or, for all points, with one
    more draw against that mean, and for no point none.
    """

    games: Whole
    at_all_points: Literal["mean_and_difference", "one_more_draw"]
    difference: Whole


@dataclass(frozen=True, slots=True)
class DwzRules(SystemSections):
    """The rating of the German Chess Federation."""

    SYSTEM: ClassVar = "dwz"
    expected_score: ExpectedRules
    players: PlayerRules
    development: DevelopmentRules
    change: DwzChangeRules
    first_rating: FirstRatingRules
    performance: PerformanceRules
