"""The sections of a rule file of the US Chess rating.

Formulas whose constants are no whole numbers are named: the text of one is the only value that its key may have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from ratinglist.rating.rules import SystemSections
from ratinglist.strict_toml import Whole


@dataclass(frozen=True, slots=True)
class FirstRules:
    """What an unrated player counts as: by the FIDE rating, else by age.

    ``fide_low_games`` and ``fide_high_games``: the games that the FIDE rating is worth, before ``weight`` reduces them.
    """

    fide_low: Literal["-1073 + 1.5667 × FIDE"]
    fide_high: Literal["20 + 1.02 × FIDE"]
    fide_high_above: Whole
    fide_low_games: Whole
    fide_high_games: Whole
    weight: Literal["exp(0.06 × (min(6, (X - P) / 350) - 6) × years)"]
    most_games: Whole
    points_per_year: Whole
    adult: Whole
    adult_above: Whole
    youngest: Whole
    youngest_below: Whole
    unknown: Whole
    unknown_below: Whole
    birth_of_year: Literal["07-01"]


@dataclass(frozen=True, slots=True)
class ProvisionalRules:
    """Who is established, who is rated by the special formula, and how many earlier games count."""

    established_above: Whole
    special_until: Whole
    effective_games: Literal["50 / sqrt(0.662 + 0.00000739 × (2569 - R)²)"]
    effective_most: Whole
    effective_most_above: Whole
    least: Whole
    most_special: Whole


@dataclass(frozen=True, slots=True)
class DevelopmentRules:
    """K of the standard formula, and of dual events, whose time control counts for two ratings."""

    k: Whole
    dual_above: Whole
    dual_factor: Literal["6.5 - 0.0025 × R"]
    dual_high_from: Whole
    dual_high_k: Whole
    dual_least_minutes: Whole
    dual_most_minutes: Whole


@dataclass(frozen=True, slots=True)
class BonusRules:
    """Points for a result far above the expected one: what exceeds ``multiplier`` × √games.

    ``meetings``: how often an opponent may have been met; with ``least_games`` games, once.
    """

    multiplier: Whole
    least_games: Whole
    games_counted_as_least: Whole
    meetings: Whole


@dataclass(frozen=True, slots=True)
class FloorRules:
    """The lowest rating of a player: by results, and by the highest established rating."""

    absolute: Whole
    absolute_most: Whole
    per_win: Whole
    per_draw: Whole
    per_event: Whole
    event_games: Whole
    below_highest: Whole
    least: Whole
    most: Whole
    of_titles_and_prizes: Literal["none"]


@dataclass(frozen=True, slots=True)
class MatchRules:
    """A match counts between established players who are near, and changes a rating by little."""

    most_difference: Whole
    most_change: Whole
    limits_over_time: Literal["none"]


@dataclass(frozen=True, slots=True)
class ChangeRules:
    """What is kept after an event, in parts of a point, and what is listed."""

    kept: Literal["millionths"]
    listed: Literal["half_up"]


@dataclass(frozen=True, slots=True)
class UschessRules(SystemSections):
    """The rating of US Chess."""

    SYSTEM: ClassVar = "uschess"
    first_rating: FirstRules
    provisional: ProvisionalRules
    development: DevelopmentRules
    bonus: BonusRules
    floor: FloorRules
    match: MatchRules
    change: ChangeRules
