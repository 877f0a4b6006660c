"""Make the site of an office: everything published, as pages and data. Published files are read.

The store is opened, to read, for the clubs where the office shows them.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from shlex import quote
from typing import Any

from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.files import resources
from ratinglist.files.atomic_file import check_not_in_an_office
from ratinglist.period import Period
from ratinglist.published import Revision, current_revisions, withdrawn_months
from ratinglist.settings import Settings
from ratinglist.summaries import Summary
from ratinglist.workflows.opening import check_published
from ratinglist_site.build import Request, build_site
from ratinglist_site.folder import SiteFolder
from ratinglist_site.texts import read_texts

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
            f"Look at it with: ratinglist site --home {quote(self.home)} --out {quote(self.folder)} --serve"
        )


def make_site(settings: Settings, out: Path | None = None, first: Period | None = None) -> SiteSummary:
    """Make the site of everything published in the folder ``out``, or make it again.

    ``out``: None: as ``[site]`` of ``office.toml`` has it, with all else. ``first``: the first month shown; None: the
    first published. Raises :class:`CommandLineError` where the folder cannot be used or there is no such language,
    :class:`NothingReadError` where nothing is published, and :class:`AlteredError` where a published file was altered.
    Then the site in the folder, if any, stays as it was.
    """
    office = settings.office.site
    place = site_folder(settings) if out is None else out
    if place is None:
        raise CommandLineError("Name the folder of the site with --out, or with out in [site] of office.toml.")
    check_not_in_an_office(place.resolve(), f"{place}")
    texts = read_texts(office.language)
    check_published(settings)
    shown_months = _months(settings.published, first, office.months)
    folder = SiteFolder(place)
    try:
        request = Request(
            settings=settings,
            months=shown_months,
            withdrawn=[gone for gone in withdrawn_months(settings.published) if gone.month >= shown_months[0].month],
            texts=texts,
            program=_program(),
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
    """Sends files, and prints nothing about it."""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the method that it replaces
        """Print nothing."""


def _months(published: Path, first: Period | None, newest: int) -> list[Revision]:
    """Return the ``newest`` months from ``first`` on, oldest first; 0: all."""
    months = [month for month in current_revisions(published) if first is None or month.period >= first]
    if not months:
        from_month = f" from {first} on" if first else ""
        raise NothingReadError(f"No list is published{from_month}, so there is no site to make: ratinglist publish")
    return months[-newest:]


def _program() -> str:
    """Return a digest of the program's files that make a site: another program makes another version of all data."""
    own = [*Path(__file__).parent.glob("*.py"), *resources.data("site").rglob("*")]
    rules = resources.data("rules").rglob("*.toml")
    digests = sorted(
        (path.name, hashlib.sha256(path.read_bytes()).hexdigest()) for path in (*own, *rules) if path.is_file()
    )
    return hashlib.sha256(json.dumps(digests).encode()).hexdigest()


def site_folder(settings: Settings) -> Path | None:
    """Return the folder that the office's site has by ``office.toml``; None where it names none."""
    out = settings.office.site.out
    # `..` is resolved here, because the folder need not be there yet.
    return (settings.home / out).resolve() if out else None
