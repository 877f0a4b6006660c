"""The rating systems that are not FIDE's, by name: what the program knows of a system is reached from here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ratinglist.rating.system_rules import (
    ClubRules,
    FfeRules,
    Fsi1998Rules,
    FsiRules,
    GlickoRules,
    SystemSections,
    UscfRules,
)
from ratinglist.rating.systems import (
    club,
    club_account,
    ffe,
    ffe_account,
    fsi,
    fsi_1998,
    fsi_1998_account,
    fsi_account,
    glicko,
    glicko_account,
    uscf,
    uscf_account,
)
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

    ``sections``: the dataclass of its rule files. ``rate``: the month step; a list, games and rules in, the new list
    out. ``account``: what it states of its lists. ``in_parts``: the month step of a system with lists of half a year.
    ``needs_rated``: whether a player enters by games against rated players alone, so that from scratch it rates none.
    """

    sections: type[SystemSections]
    rate: Callable[[SystemMonth, Any], SystemResult]
    account: SystemAccount
    in_parts: InParts | None = None
    needs_rated: bool = False


SYSTEMS = {
    one.sections.SYSTEM: one
    for one in (
        RatingSystem(FsiRules, fsi.rate, fsi_account.ACCOUNT),
        RatingSystem(ClubRules, club.rate, club_account.ACCOUNT),
        RatingSystem(
            Fsi1998Rules, fsi_1998.rate, fsi_1998_account.ACCOUNT, InParts(fsi_1998.of_part, fsi_1998.of_parts)
        ),
        RatingSystem(UscfRules, uscf.rate, uscf_account.ACCOUNT, needs_rated=True),
        RatingSystem(FfeRules, ffe.rate, ffe_account.ACCOUNT, InParts(ffe.of_part, ffe.of_parts)),
        RatingSystem(GlickoRules, glicko.rate, glicko_account.ACCOUNT),
    )
}
"""Every system by the name that a rule file gives under ``system``."""
