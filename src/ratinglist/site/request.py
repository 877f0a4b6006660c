"""What a site is made of, and how: the months, the language, and the choices of the office."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from ratinglist.config import Progress, silent
from ratinglist.rating.rules import RuleBook
from ratinglist.schemas import MEMBER
from ratinglist.site.event_data import Standings
from ratinglist.site.published_months import PublishedMonth
from ratinglist.site.texts import SiteTexts


@dataclass(frozen=True, slots=True)
class Request:
    """What a site is made of.

    ``months``: oldest first (:func:`~ratinglist.site.published_months.months_of_site`). ``birth_years``: false
    leaves the years of birth out of every page and data file. ``downloads``: writes the files for downloading of
    the newest list into a folder, and returns their names. ``name``: of the site; empty: that of the language.
    ``text``: the office's own on the first page. ``address``, ``colour``: of the site and of the office
    (:class:`Frame`). ``clubs``: ``fide_id`` and ``club`` of the members on the newest list's first day, which no
    published file has; empty where the office shows no clubs. ``picture``: PNG or JPEG, for shared pages. ``sql``:
    the folder of DuckDB-WASM; None: no page asks the lists. ``standings``: makes those of the events of a month,
    which no published file has, of its ``EVENT`` and ``GAME``. ``compressed``: a compressed copy stands next to
    each larger file.
    """

    published: Path
    months: Sequence[PublishedMonth]
    book: RuleBook
    texts: SiteTexts
    birth_years: bool = True
    downloads: Callable[[Path], list[Path]] | None = None
    name: str = ""
    text: str = ""
    address: str = ""
    compressed: bool = False
    colour: str = ""
    picture: bytes = b""
    sql: Path | None = None
    clubs: pl.DataFrame = field(default_factory=MEMBER.empty)
    standings: Callable[[pl.DataFrame, pl.DataFrame], Standings] = lambda _events, _games: Standings()
    progress: Progress = field(default=silent, compare=False)

    def lists(self, month: PublishedMonth) -> pl.DataFrame:
        """Return the lists of a month as the site shows them (``LISTED``), with or without the years of birth."""
        lists = month.lists()
        return lists if self.birth_years else lists.with_columns(pl.lit(None, pl.Int32).alias("birth_year"))
