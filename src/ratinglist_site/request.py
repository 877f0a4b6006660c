"""What a site is made of besides the published folder: the language, and the choices of the office."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from ratinglist.published import Revision, RolledBackRevision
from ratinglist.settings import Settings
from ratinglist.workflows.for_readers import ComingList, RuleSetShown
from ratinglist_site.texts import SiteTexts


@dataclass(frozen=True, slots=True)
class Request:
    """What a site is made of.

    ``settings``: of the office, whose name, text, address and colour pages show. ``months``: the current revisions
    shown, oldest first. ``withdrawn``: months without a list. ``program``: a digest of what makes a site.

    ``birth_years``: false leaves the years of birth out of every page and data file. ``has_downloads``: readers get
    files of the newest list. ``clubs``: ``fide_id`` and ``club`` of the members on the newest list's first day, which
    no published file has; empty where the office shows no clubs. ``rule_sets``: those in force. ``caps``: the article
    on the largest difference by rule set. ``coming``: the next lists.
    """

    settings: Settings
    months: Sequence[Revision]
    withdrawn: Sequence[RolledBackRevision]
    texts: SiteTexts
    program: str
    birth_years: bool
    has_downloads: bool
    clubs: pl.DataFrame
    rule_sets: Sequence[RuleSetShown]
    caps: Mapping[str, str]
    coming: Sequence[ComingList]

    @property
    def address(self) -> str:
        """The address of the site, with a slash at its end; empty where the office states none."""
        address = self.settings.office.site.address
        return address.rstrip("/") + "/" if address else ""
