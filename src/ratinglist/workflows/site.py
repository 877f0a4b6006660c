"""The command `ratinglist site`: a static site of everything published.

It reads published files. The store is opened, to read, for the standings of events, and for the clubs where the office
shows them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from ratinglist.errors import CommandLineError, ExportError, NothingReadError
from ratinglist.files.atomic_file import check_not_in_an_office
from ratinglist.lists.formats import FORMATS
from ratinglist.lists.selection import ExportRequest
from ratinglist.pages import html_pages
from ratinglist.period import Period
from ratinglist.settings import LOG, Settings
from ratinglist.site.build import build_site
from ratinglist.site.event_data import Standings
from ratinglist.site.folder import SiteFolder
from ratinglist.site.published_months import PublishedMonth, months_of_site
from ratinglist.site.request import Request
from ratinglist.site.texts import ENGLISH, SiteTexts, parse_texts
from ratinglist.store import received
from ratinglist.store.received import text_problem
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import Summary
from ratinglist.tables import MEMBER
from ratinglist.text import counted
from ratinglist.workflows.export import export
from ratinglist.workflows.opening import check_published, open_to_read
from ratinglist.workflows.standings import of_published

EXPORTED_PLAYERS = 100_000
"""Up to so many players, the newest list is exported in every format; a larger one has the published files."""


@dataclass(frozen=True, slots=True)
class SiteSummary(Summary):
    """A site that was made. ``months_made``: how many months' events were made; the others are unchanged."""

    folder: str
    months: list[str]
    players: int
    files: int
    bytes: int
    months_made: int

    def text(self) -> str:
        """Return the summary in two lines; the last is the address to open."""
        months = self.months[0] if len(self.months) == 1 else f"{self.months[0]} to {self.months[-1]}"
        kept = len(self.months) - self.months_made
        unchanged = f", events of {kept:,} unchanged" if kept else ""
        return (
            f"Site of {months}: {self.players:,} players, {self.files:,} files, {self.bytes:,} bytes{unchanged}\n"
            f"{Path(self.folder).resolve().as_uri()}/index.html"
        )


def languages() -> list[str]:
    """Return the languages that there are texts for."""
    return sorted(path.stem for path in html_pages.folder().glob("*.toml"))


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
    :class:`NothingReadError` where nothing is published, and :class:`AlteredError` where a manifest was altered. Then
    the site in the folder, if any, stays as it was.
    """
    office = settings.office.site
    place = site_folder(settings) if out is None else out
    if place is None:
        raise CommandLineError("Name the folder of the site with --out, or with out in [site] of office.toml.")
    check_not_in_an_office(place.resolve(), f"{place}")
    texts_of = _texts(language or office.language)
    check_published(settings)
    shown = months_of_site(settings.published, first, months or office.months or None)
    has_downloads = office.downloads if downloads is None else downloads
    has_years = office.birth_years if birth_years is None else birth_years
    folder = SiteFolder(place)
    try:
        newest = shown[-1]
        request = Request(
            published=settings.published,
            months=shown,
            book=rule_book(),
            texts=texts_of,
            birth_years=has_years,
            downloads=(lambda into: _exports(settings, newest, into)) if has_downloads else None,
            name=settings.office.name,
            text=office.text,
            address=office.address.rstrip("/") + "/" if office.address else "",
            colour=office.colour,
            clubs=_clubs(settings, newest) if office.clubs else MEMBER.empty(),
            standings=lambda events, games: _standings(settings, events, games),
            progress=settings.progress,
        )
        made, players = build_site(folder, request)
    finally:
        folder.discard()
    return SiteSummary(
        folder=str(place),
        months=[month.name for month in shown if month.is_shown],
        players=players,
        files=folder.files,
        bytes=folder.bytes,
        months_made=made,
    )


def _standings(settings: Settings, events: pl.DataFrame, games: pl.DataFrame) -> Standings:
    """Return the standings of the events of a month; none in a copy of the published folder alone."""
    return Standings(*of_published(settings, events, games)) if (settings.home / LOG).is_dir() else Standings()


def _clubs(settings: Settings, newest: PublishedMonth) -> pl.DataFrame:
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
    english = _parsed(ENGLISH, None)
    return english if language == ENGLISH else _parsed(language, english)


def _parsed(language: str, english: SiteTexts | None) -> SiteTexts:
    file = html_pages.folder() / f"{language}.toml"
    try:
        return parse_texts(file.read_text(encoding="utf-8"), english)
    except ValueError as error:
        raise NothingReadError(f"{file}: {error}. Fix the file.") from None


def _exports(settings: Settings, month: PublishedMonth, into: Path) -> list[Path]:
    """Export the newest list in every format that is not published as it is; return the files.

    A format that cannot hold the list is left out: the published files hold it.
    """
    rows = sum(month.table(control, ["fide_id"]).height for control in month.controls)
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
                settings.warn(f"the site has no {name} file of {month.name}: {error}")
    return files
