"""The rating systems that are not FIDE's, by name: what the program knows of a system is reached from here.

A system has two modules here, named after it: its month step, and with ``_account`` what it states of its lists. They
are imported when a list of the system is calculated or explained, and no list of FIDE's waits for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

    ``name``: what a rule file gives under ``system``. ``is_half_yearly``: whether its lists are of half a year, and its
    month step can be made in parts. ``needs_rated``: whether a player enters by games against rated players alone, so
    that from scratch it rates none.
    """

    name: str
    is_half_yearly: bool = False
    needs_rated: bool = False

    @property
    def rate(self) -> Callable[[SystemMonth, Any], SystemResult]:
        """The month step: a list, games and rules in, the new list out."""
        rate: Callable[[SystemMonth, Any], SystemResult] = self._module().rate
        return rate

    @property
    def account(self) -> SystemAccount:
        """What the system states of its lists."""
        account: SystemAccount = self._module("_account").ACCOUNT
        return account

    @property
    def in_parts(self) -> InParts | None:
        """The month step in parts, of a system that has one."""
        module = self._module() if self.is_half_yearly else None
        return module and InParts(module.of_part, module.of_parts)

    def _module(self, of: str = "") -> Any:
        return import_module(f"ratinglist.rating.systems.{self.name.replace('-', '_')}{of}")


SYSTEMS = {
    one.name: one
    for one in (
        RatingSystem("fsi"),
        RatingSystem("club"),
        RatingSystem("fsi-1998", is_half_yearly=True),
        RatingSystem("uscf", needs_rated=True),
        RatingSystem("ffe", is_half_yearly=True),
        RatingSystem("glicko"),
    )
}
"""Every system by its name."""
