"""What a site is made of, and how: the months, the language, and the choices of the office.

One digest states all of it: a site of the same need not be made again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

import ratinglist
from ratinglist.files import resources
from ratinglist.files.durable_files import sha256_of
from ratinglist.publication import revisions
from ratinglist.publication.manifest import SIGNATURE
from ratinglist.rating.rules import RuleBook
from ratinglist.settings import Progress, silent
from ratinglist.site.event_data import Standings
from ratinglist.site.published_months import PublishedMonth
from ratinglist.site.texts import SiteTexts
from ratinglist.tables import BOTH_NUMBERS, MEMBER


@dataclass(frozen=True, slots=True)
class Request:
    """What a site is made of.

    ``months``: oldest first (:func:`~ratinglist.site.published_months.months_of_site`). ``birth_years``: false
    leaves the years of birth out of every page and data file. ``downloads``: writes the files for downloading of
    the newest list into a folder, and returns their names. ``name``: of the site; empty: that of the language.
    ``text``: the office's own on the first page. ``address``, ``colour``: of the site and of the office
    (:class:`Frame`). ``clubs``: ``fide_id`` and ``club`` of the members on the newest list's first day, which no
    published file has; empty where the office shows no clubs. ``standings``: makes those of the events of a
    month, which no published file has, of its ``EVENT`` and ``GAME``.
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
    colour: str = ""
    clubs: pl.DataFrame = field(default_factory=MEMBER.empty)
    standings: Callable[[pl.DataFrame, pl.DataFrame], Standings] = lambda _events, _games: Standings()
    progress: Progress = field(default=silent, compare=False)

    def lists(self, month: PublishedMonth) -> pl.DataFrame:
        """Return the lists of a month as the site shows them (``LISTED``), with or without the years of birth."""
        lists = month.lists()
        return lists if self.birth_years else lists.with_columns(pl.lit(None, pl.Int32).alias("birth_year"))


def made_of(request: Request, version: str) -> str:
    """Return a digest of all that a site is made of; ``version`` is that of the site.

    It has the current revisions of all months, the tables and signatures in their folders, and the whole program with
    its rules.
    """
    published = [(str(month), folder.name) for month, folder in revisions.every_latest(request.published).items()]
    tables = [month.folder.parent / f"{BOTH_NUMBERS.name}.parquet" for month in request.months]
    signatures = [month.folder / SIGNATURE for month in request.months]
    program = [*Path(ratinglist.__file__).parent.rglob("*.py"), *resources.data("rules").rglob("*.toml")]
    digests = [sha256_of(path) if path.is_file() else "" for path in (*tables, *signatures, *sorted(program))]
    whole = [version, published, digests]
    return hashlib.sha256(json.dumps(whole).encode()).hexdigest()


def options(request: Request) -> list[object]:
    """Return the choices of the office that the files of a site depend on."""
    has = [request.birth_years, request.downloads is not None]
    texts = [request.texts.page["language"], request.name, request.text, request.address, request.colour]
    return [*has, *texts, request.clubs.select("fide_id", "club").rows()]
