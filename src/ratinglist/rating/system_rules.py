"""The sections of the rule files of the systems that are not FIDE's, one dataclass for each system.

A rule file that names a ``system`` has the sections of that system's dataclass, and no other. The common section
``list`` holds what every system needs: when a list is published, when it closes, and which ratings the games use.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from ratinglist.strict_toml import Allowed, Text, Whole

EVERY_MONTH = "every month"
"""The value of ``list.published_in`` of a family that publishes a list on the first of every month."""


def _months(value: str) -> None:
    if value != EVERY_MONTH and not re.fullmatch(r"(0[1-9]|1[0-2])(, (0[1-9]|1[0-2]))*", value):
        raise ValueError(f"is '{value}': write '{EVERY_MONTH}', or months as numbers such as '01, 07'")


@dataclass(frozen=True, slots=True)
class SystemListRules:
    """Rules of the list.

    ``ratings_used``: the ratings of the list in force when the event began, or of the family's newest list.
    """

    published_in: Annotated[str, Allowed(_months)]
    closing_days_before: Whole
    official_closing_days_before: Whole
    ratings_used: Literal["event_start", "list_before"]


@dataclass(frozen=True, slots=True)
class SystemSections:
    """The sections of every system. ``SYSTEM``: the name that a rule file gives under ``system``."""

    SYSTEM: ClassVar[str]
    list: SystemListRules


@dataclass(frozen=True, slots=True)
class TableRules:
    """The expected score: a table of hundredths, looked up for a difference that is cut to ``cap``."""

    table: Text
    cap: Whole


@dataclass(frozen=True, slots=True)
class ThousandthsRules:
    """The expected score: a table of thousandths, looked up for the whole difference."""

    table: Text


@dataclass(frozen=True, slots=True)
class FixedEntryRules:
    """An unlisted player enters at this rating with the first list on which a game is counted."""

    rating: Whole


@dataclass(frozen=True, slots=True)
class FsiCoefficientRules:
    """K, the same for all players."""

    k: Whole


@dataclass(frozen=True, slots=True)
class FsiChangeRules:
    """From the changes of the games to a whole number."""

    rounded_per: Literal["event"]
    halves: Literal["away_from_zero"]


@dataclass(frozen=True, slots=True)
class FsiLapseRules:
    """``reference``: a rating ends when the player has one on the newest reference list."""

    lapses_with: Literal["reference", "nothing"]


@dataclass(frozen=True, slots=True)
class FsiRules(SystemSections):
    """The national Elo of Italy."""

    SYSTEM: ClassVar = "fsi"
    expected_score: TableRules
    development_coefficient: FsiCoefficientRules
    change: FsiChangeRules
    entry: FixedEntryRules
    lapse: FsiLapseRules


@dataclass(frozen=True, slots=True)
class ClubCoefficientRules:
    """K: ``new`` under ``new_until_games`` games; then by the rating: ``normal``, the formula, ``master``."""

    new: Whole
    new_until_games: Whole
    normal: Whole
    formula: Literal["130_less_a_twentieth_of_the_rating"]
    formula_from: Whole
    master: Whole
    master_from: Whole


@dataclass(frozen=True, slots=True)
class ChangeUpRules:
    """The new rating is rounded once, a half upwards."""

    halves: Literal["up_of_rating"]


@dataclass(frozen=True, slots=True)
class TitleRules:
    """The lowest rating of a player with a title, on entry and once when the title is first recorded."""

    gm: Whole
    im: Whole
    fm: Whole


@dataclass(frozen=True, slots=True)
class ClubRules(SystemSections):
    """A club's internal Elo."""

    SYSTEM: ClassVar = "club"
    expected_score: ThousandthsRules
    development_coefficient: ClubCoefficientRules
    change: ChangeUpRules
    entry: FixedEntryRules
    title_minimum: TitleRules


@dataclass(frozen=True, slots=True)
class SumStepRules:
    """The expected score of an event: the sum of the table's values, rounded to a multiple of ``sum_step``."""

    table: Text
    cap: Whole
    sum_step: Whole


@dataclass(frozen=True, slots=True)
class BandCoefficientRules:
    """K: ``low`` below ``low_below``, ``middle`` up to ``middle_to`` inclusive, ``high`` above."""

    low: Whole
    low_below: Whole
    middle: Whole
    middle_to: Whole
    high: Whole


@dataclass(frozen=True, slots=True)
class RefreshRules:
    """The own rating in use takes up the changes so far after every ``refresh_every`` events; 0: never."""

    refresh_every: Whole
    halves: Literal["up_of_rating"]


@dataclass(frozen=True, slots=True)
class PromotionRules:
    """Entry by a performance in one event: ``second`` is the category 2N, ``third`` is 3N.

    Unlisted opponents count as ``unclassified``. In an event of unlisted players only, ``third_share_hundredths`` of
    the points is needed for 3N.
    """

    unclassified: Whole
    min_games: Whole
    second_from: Whole
    second_rating: Whole
    third_from: Whole
    third_rating: Whole
    third_share_hundredths: Whole


@dataclass(frozen=True, slots=True)
class CategoryRules:
    """The lower limit of each category; a player keeps the highest for life."""

    third: Whole
    second: Whole
    first: Whole
    candidate_master: Whole
    master: Whole


@dataclass(frozen=True, slots=True)
class Fsi1998Rules(SystemSections):
    """The Italian Elo of 1998 to 2000."""

    SYSTEM: ClassVar = "fsi-1998"
    expected_score: SumStepRules
    development_coefficient: BandCoefficientRules
    change: RefreshRules
    entry: PromotionRules
    category: CategoryRules


@dataclass(frozen=True, slots=True)
class UscfCoefficientRules:
    """K of an established player: ``master`` from ``master_from``, judged after the provisional games."""

    normal: Whole
    master: Whole
    master_from: Whole


@dataclass(frozen=True, slots=True)
class ProvisionalRules:
    """The first ``games`` of a player are averaged: a game is worth the opponent's rating and ``points`` up or down."""

    games: Whole
    points: Whole


@dataclass(frozen=True, slots=True)
class UscfRules(SystemSections):
    """The rating of the US Chess Federation."""

    SYSTEM: ClassVar = "uscf"
    expected_score: ThousandthsRules
    development_coefficient: UscfCoefficientRules
    change: ChangeUpRules
    provisional: ProvisionalRules


@dataclass(frozen=True, slots=True)
class FfeUpdateRules:
    """The old rating weighs ``weight_games`` games; a game counts against an opponent within ``compatible``."""

    weight_games: Whole
    compatible: Whole
    points: Whole
    halves: Literal["up_of_rating"]


@dataclass(frozen=True, slots=True)
class IteratedEntryRules:
    """Entry by iterated performances: all start at ``start``; a player who moves by less than ``settled_below`` stays.

    ``min_games`` compatible games are needed, and at most ``rounds`` are calculated.
    """

    start: Whole
    settled_below: Whole
    rounds: Whole
    min_games: Whole


@dataclass(frozen=True, slots=True)
class FfeRules(SystemSections):
    """The French Elo."""

    SYSTEM: ClassVar = "ffe"
    update: FfeUpdateRules
    entry: IteratedEntryRules


@dataclass(frozen=True, slots=True)
class GlickoExpectedRules:
    """``white``: points added to White's rating. ``weights`` of a player's games, the last one first."""

    white: Whole
    weights: Literal["equal", "harmonic", "harmonic_raw"]


@dataclass(frozen=True, slots=True)
class DeviationRules:
    """The deviation: at most ``initial``, at least ``least``; its square grows by ``variance_per_month``.

    ``imported_from_games``: an imported player's deviation follows from the games played, at most this many.
    """

    initial: Whole
    least: Whole
    variance_per_month: Whole
    imported_from_games: Whole


@dataclass(frozen=True, slots=True)
class GlickoRules(SystemSections):
    """Glicko, and the ranking of the PCA and WCC."""

    SYSTEM: ClassVar = "glicko"
    expected_score: GlickoExpectedRules
    entry: FixedEntryRules
    deviation: DeviationRules


SECTIONS_OF_SYSTEM = {one.SYSTEM: one for one in (FsiRules, ClubRules, Fsi1998Rules, UscfRules, FfeRules, GlickoRules)}
"""The dataclass of each system, by the name that a rule file gives under ``system``."""
