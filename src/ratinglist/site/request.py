"""What a site is made of besides the published folder: the language, and the choices of the office."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from ratinglist.period import Period
from ratinglist.published.in_folder import Revision, Withdrawn
from ratinglist.site.texts import SiteTexts
from ratinglist.tables import MEMBER


@dataclass(frozen=True, slots=True)
class RuleSetShown:
    """A rule set on the page about the site: its name, its source, and key, value and article of each rule."""

    name: str
    source: str
    rows: Sequence[tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class ComingList:
    """A list to come: its month, and the days by which reports for it are due."""

    period: Period
    closing: Sequence[date]


@dataclass(frozen=True, slots=True)
class Request:
    """What a site is made of.

    ``months``: the current revisions shown, oldest first. ``withdrawn``: months without a list.

    ``name``: of the site; empty: that of the language. ``text``: the office's own on the first page. ``address``: of
    the site, with a slash at its end; empty: not known. ``colour``: of the office, as ``#17493b``; empty: the
    program's. ``birth_years``: false leaves the years of birth out of every page and data file.

    ``clubs``: ``fide_id`` and ``club`` of the members on the newest list's first day, which no published file has;
    empty where the office shows no clubs. ``rule_sets``: those in force. ``caps``: the article on the largest
    difference by rule set. ``coming``: the next lists. ``export``: writes files of the newest list into a folder; None:
    readers get no files.

    ``fold``: returns names in lower-case ASCII words. ``letters``: returns the letters of names that ASCII cannot hold,
    each with its ASCII text.
    """

    months: Sequence[Revision]
    withdrawn: Sequence[Withdrawn]
    texts: SiteTexts
    fold: Callable[[pl.Expr], pl.Expr]
    letters: Callable[[pl.Series], dict[str, str]]
    program: str
    name: str = ""
    text: str = ""
    address: str = ""
    colour: str = ""
    birth_years: bool = True
    clubs: pl.DataFrame = field(default_factory=MEMBER.empty)
    rule_sets: Sequence[RuleSetShown] = ()
    caps: Mapping[str, str] = field(default_factory=dict)
    coming: Sequence[ComingList] = ()
    export: Callable[[Path], list[Path]] | None = None
    threads: int | None = None
    progress: Callable[[str, int, int], Any] = lambda _step, _done, _of: None
