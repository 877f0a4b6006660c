"""The command `ratinglist site`: a static site of everything published, and a server to look at it.

It reads published files. The store is opened, to read, for the clubs where the office shows them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

import ratinglist
from ratinglist.errors import CommandLineError, ExportError, NothingReadError
from ratinglist.files import resources
from ratinglist.files.atomic_file import check_not_in_an_office
from ratinglist.lists.formats import FORMATS
from ratinglist.lists.selection import ExportRequest
from ratinglist.names.folding import folded, letters_to_ascii
from ratinglist.pages import html_pages
from ratinglist.period import Period
from ratinglist.published.in_folder import Revision, current_revisions, withdrawn_months
from ratinglist.rating.rules import RuleBook, shown
from ratinglist.settings import Settings
from ratinglist.site.build import build_site
from ratinglist.site.folder import SiteFolder
from ratinglist.site.request import ComingList, Request, RuleSetShown
from ratinglist.site.texts import SiteTexts, languages, read_texts
from ratinglist.store import received
from ratinglist.store.received import text_problem
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import Summary
from ratinglist.tables import MEMBER
from ratinglist.text import counted
from ratinglist.workflows.export import export
from ratinglist.workflows.opening import check_published, open_to_read

EXPORTED_PLAYERS = 100_000
"""Up to so many players, the newest list is exported in every format; a larger one has the published files."""
_COMING_LISTS = 12
_PORT = 8000


@dataclass(frozen=True, slots=True)
class SiteSummary(Summary):
    """A site that was made of the published lists of a ``home``."""

    home: str
    folder: str
    months: list[str]
    players: int
    files: int
    bytes: int

    def text(self) -> str:
        """Return the summary in two lines; the last is the command that shows it."""
        months = self.months[0] if len(self.months) == 1 else f"{self.months[0]} to {self.months[-1]}"
        return (
            f"Site of {months}: {self.players:,} players, {self.files:,} files, {self.bytes:,} bytes\n"
            f"Look at it with: ratinglist site --home {self.home} --out {self.folder} --serve"
        )


def site(
    settings: Settings,
    out: Path | None = None,
    first: Period | None = None,
    *,
    months: int | None = None,
    language: str | None = None,
    birth_years: bool | None = None,
    downloads: bool | None = None,
) -> SiteSummary:
    """Make the site of everything published in the folder ``out``, or make it again.

    ``first``: the first month shown; ``months``: how many of the newest are shown. ``birth_years``: false leaves the
    years of birth out, and with them the downloads, which have them. What is None is as ``[site]`` of ``office.toml``
    has it. Raises :class:`CommandLineError` where the folder cannot be used or there is no such language,
    :class:`NothingReadError` where nothing is published, and :class:`AlteredError` where a published file was altered.
    Then the site in the folder, if any, stays as it was.
    """
    office = settings.office.site
    place = site_folder(settings) if out is None else out
    if place is None:
        raise CommandLineError("Name the folder of the site with --out, or with out in [site] of office.toml.")
    check_not_in_an_office(place.resolve(), f"{place}")
    texts = _texts(language or office.language)
    check_published(settings)
    shown_months = _months(settings.published, first, months or office.months or None)
    newest = shown_months[-1]
    book, family = rule_book(), str(newest.facts.get("family", ""))
    has_rules = family in book.families
    has_downloads = office.downloads if downloads is None else downloads
    folder = SiteFolder(place)
    try:
        request = Request(
            months=shown_months,
            withdrawn=[gone for gone in withdrawn_months(settings.published) if gone.month >= shown_months[0].month],
            texts=texts,
            fold=folded,
            letters=letters_to_ascii,
            program=_program(),
            name=settings.office.name,
            text=office.text,
            address=office.address.rstrip("/") + "/" if office.address else "",
            colour=office.colour,
            birth_years=office.birth_years if birth_years is None else birth_years,
            clubs=_clubs(settings, newest) if office.clubs else MEMBER.empty(),
            rule_sets=_rule_sets(book, family, newest.period) if has_rules else [],
            caps=_caps(book),
            coming=[*islice(_coming(book, family, newest.period), _COMING_LISTS)] if has_rules else [],
            export=partial(_exports, settings, newest) if has_downloads else None,
            threads=settings.threads,
            progress=settings.progress,
        )
        players = build_site(folder, request)
    finally:
        folder.discard()
    return SiteSummary(
        home=str(settings.home),
        folder=str(place),
        months=[month.month for month in shown_months],
        players=players,
        files=folder.files,
        bytes=folder.bytes,
    )


def server(folder: Path) -> ThreadingHTTPServer:
    """Return a server of a site for this computer alone; its ``server_port`` is 8000, or a free one."""
    handler = partial(_Quiet, directory=str(folder))
    try:
        return ThreadingHTTPServer(("127.0.0.1", _PORT), handler)
    except OSError:
        return ThreadingHTTPServer(("127.0.0.1", 0), handler)


class _Quiet(SimpleHTTPRequestHandler):
    """Sends files, and prints nothing of it."""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the method that it replaces
        """Print nothing."""


def _months(published: Path, first: Period | None, newest: int | None) -> list[Revision]:
    """Return the months from ``first`` on, or so many of the newest, oldest first."""
    months = [month for month in current_revisions(published) if first is None or month.period >= first]
    if not months:
        from_month = f" from {first} on" if first else ""
        raise NothingReadError(f"No list is published{from_month}, so there is no site to make: ratinglist publish")
    return months[-newest:] if newest is not None else months


def _program() -> str:
    """Return a digest of the program's files that make a site: another program makes another version of all data."""
    own = [*(Path(ratinglist.__file__).parent / "site").glob("*.py"), *html_pages.folder().rglob("*")]
    rules = resources.data("rules").rglob("*.toml")
    digests = sorted(
        (path.name, hashlib.sha256(path.read_bytes()).hexdigest()) for path in (*own, *rules) if path.is_file()
    )
    return hashlib.sha256(json.dumps(digests).encode()).hexdigest()


def _rule_sets(book: RuleBook, family: str, period: Period) -> list[RuleSetShown]:
    """Return the rule sets in force for the newest lists."""
    return [
        RuleSetShown(
            rules.name,
            rules.source,
            [(key, shown(value), rules.articles[key]) for key, value in rules.values().items()],
        )
        for rules in book.in_force(family, period.first_day)
    ]


def _caps(book: RuleBook) -> dict[str, str]:
    """Return the article on the largest difference of two ratings by the name of the rule set that has one."""
    keys = ("expected_score.cap", "expected_score.cap_applies_to")
    return {rules.name: rules.articles[key] for rules in book.rule_sets for key in keys if key in rules.articles}


def _coming(book: RuleBook, family: str, newest: Period) -> Iterator[ComingList]:
    """Yield the lists after the newest one, each with its closing dates."""
    while True:
        newest = book.next_list(family, newest + 1)
        yield ComingList(newest, book.closing_dates(family, newest))


def _clubs(settings: Settings, newest: Revision) -> pl.DataFrame:
    """Return the members of clubs on the first day of the newest list (``MEMBER``).

    A club whose name has a date of birth, as where a column of a file was moved, is left out with a warning.
    """
    with open_to_read(settings) as store:
        members = received.members(store)
        named = members["club"].unique().sort().to_list()
        private = [one for one in named if any(map(str.isdigit, one)) and text_problem(store, one, settings.today)]
    if private:
        settings.warn(
            f"{counted(len(private), 'club')} of the register {'has' if len(private) == 1 else 'have'} a date of birth "
            "in the name and is not shown on the site: was a column of a file of players moved? Correct the clubs with "
            "ratinglist import-players"
        )
        members = members.filter(~pl.col("club").is_in(private))
    return members.filter(pl.col("member_until").is_null() | (pl.col("member_until") >= newest.period.first_day))


def site_folder(settings: Settings) -> Path | None:
    """Return the folder that the office's site has by ``office.toml``; None where it names none."""
    out = settings.office.site.out
    # `..` is resolved here, because the folder need not be there yet.
    return (settings.home / out).resolve() if out else None


def _texts(language: str) -> SiteTexts:
    if language not in languages():
        raise CommandLineError(f"There are no texts in '{language}'; there are: {', '.join(languages())}.")
    return read_texts(language)


def _exports(settings: Settings, month: Revision, into: Path) -> list[Path]:
    """Export the newest list in every format that is not published as it is; return the files.

    A format that cannot hold the list is left out: the published files hold it.
    """
    rows = sum(int(month.files[f"{control}.parquet"]["rows"]) for control in month.controls)
    if rows > EXPORTED_PLAYERS:
        return []
    files: list[Path] = []
    # What a format cannot keep is for the officer who exports a list, and is the same at every run.
    quiet = replace(settings, warn=lambda _: None)
    for name, list_format in FORMATS.items():
        if name in ("csv", "parquet"):
            continue
        controls: list[str | None] = [*month.controls] if list_format.single_list_name else [None]
        for control in controls:
            request = ExportRequest(month.period, name, time_control=control, zipped=bool(list_format.fide_name))
            try:
                files.append(Path(export(quiet, request, into).file))
            except (ExportError, CommandLineError, pl.exceptions.ComputeError) as error:
                settings.warn(f"the site has no {name} file of {month.month}: {error}")
    return files
