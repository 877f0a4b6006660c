"""What a page is made from, and what it is: the visit of an officer, and a template with its values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ratinglist.config import Settings
from ratinglist.desk.work import Bench
from ratinglist.period import Period


@dataclass(frozen=True, slots=True)
class Visit:
    """A request for a page. ``path`` and ``query``: the variable parts of its address.

    ``site``: the secret part of the address of a site that is looked at.
    """

    settings: Settings
    bench: Bench
    language: str
    path: Mapping[str, object] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    site: str = ""

    @property
    def period(self) -> Period:
        """The month in the address; raises :class:`~ratinglist.errors.CommandLineError` where it is none."""
        return Period.parse(str(self.path["month"]))


@dataclass(frozen=True, slots=True)
class Page:
    """A page: a template and its values.

    ``refresh``: after so many seconds the browser loads it again; 0: never. ``goes_to``: the address shown instead.
    """

    template: str
    values: Mapping[str, object]
    refresh: int = 0
    goes_to: str = ""
