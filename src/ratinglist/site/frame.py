"""Put a page into the frame that every page of a site has: head, links, foot, and what networks show of it."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cache

from ratinglist.pages import html_pages
from ratinglist.site.cells import Words
from ratinglist.site.pictures import HEIGHT, WIDTH, Picture, Pictures

_LINKS = (
    ("index.html", "lists"),
    ("search.html", "search"),
    ("months.html", "months"),
    ("events.html", "events"),
    ("compare.html", "compare"),
    ("about.html", "about"),
)
_LIST_LINKS = {"list-standard.html", "list-rapid.html", "list-blitz.html"}


@dataclass(frozen=True, slots=True)
class Frame(Words):
    """What every page has: the texts, the name of the site, the version of the data, and the newest month.

    ``has_clubs``: there is a page of clubs; ``has_sql``: one that asks the lists with SQL. ``address``: of the site,
    with a slash at its end; empty: not known. ``colour``: of the office, as ``#17493b``; empty: the program's own.
    ``picture``: name of the file that the office shows where a page is shared; empty: none. ``pictures``: those drawn
    for pages; None: none are. ``own_players``: the FIDE IDs of the players who have a page of their own.
    """

    name: str
    version: str
    newest: str
    has_clubs: bool = False
    has_sql: bool = False
    address: str = ""
    colour: str = ""
    picture: str = ""
    pictures: Pictures | None = field(default=None, compare=False)
    own_players: Collection[int] = frozenset()

    @property
    def parts(self) -> str:
        """Return the folder of the scripts and the style, whose content never changes under its name."""
        return f"parts/{self.version}"

    @property
    def title(self) -> str:
        """The name of the site."""
        return self.name or self.texts.page["site"]

    def address_of(self, file: str) -> str:
        """Return the whole address of a page."""
        return self.address + ("" if file == "index.html" else file)

    def colour_of(self, name: str) -> str:
        """Return a colour of light pages: of a time control, or the ``brand``, which is the office's."""
        of_style = _colours()
        return of_style[name] if name in ("rapid", "blitz") else self.colour or of_style["brand"]

    def player_address(self, fide_id: int) -> str:
        """Return the address of a player: a page of its own, or else the one for all with the ID behind a ``#``."""
        return player_file(fide_id) if fide_id in self.own_players else f"player.html#{fide_id}"

    def page(
        self,
        template: str,
        *,
        file: str,
        page: str = "",
        indexed: bool = True,
        about: tuple[str, object] | None = None,
        description: str | None = None,
        picture: Picture | None = None,
        **values: object,
    ) -> str:
        """Return a page.

        ``page``: its name for the script; ``indexed``: search engines may list it. ``about``: ``player`` or ``event``
        and the ID, where the page is of one alone: networks may preview it, indexed or not. ``description``: in one
        sentence; ``picture``: drawn for it. Else both are those of the site.
        """
        drawn = self._drawn(picture)
        shown = drawn or (f"{self.parts}/{self.picture}" if self.picture else "")
        whole = self.text("description", site=self.title, month=self.month(self.newest))
        return html_pages.render(
            template,
            t=self.texts.page,
            direction=self.language.direction,
            site={"name": self.title},
            address=self.address_of(file) if self.address else "",
            picture=self.address + shown if shown else "",
            picture_size=(WIDTH, HEIGHT) if drawn else None,
            description=description or whole,
            about=about,
            shared=indexed or about is not None,
            parts=self.parts,
            version=self.version,
            newest=self.newest,
            has_clubs=self.has_clubs,
            has_sql=self.has_sql,
            newest_name=self.month(self.newest),
            policy=values.pop("policy", html_pages.SITE_POLICY),
            links=[(address, self.texts.page[key]) for address, key in _LINKS],
            current=_section_of(file),
            page=page,
            indexed=indexed,
            scripted=bool(page),
            control=values.pop("control", ""),
            **values,
        )

    def _drawn(self, picture: Picture | None) -> str:
        """Return the path of the picture that is drawn for a page; empty where none is.

        The picture that an office chose is that of every page without one of its own.
        """
        if self.pictures is None or (picture is None and self.picture):
            return ""
        month = self.month(self.newest)
        return self.pictures.add(picture or Picture(month, self.title, below=self.text("month_title", month=month)))


def player_file(fide_id: int) -> str:
    """Return the file name of the page of a player's own."""
    return f"player-{fide_id}.html"


def event_file(month: str, code: str) -> str:
    """Return the file name of the page of an event's own."""
    return f"event-{month}-{code}.html"


def _section_of(file: str) -> str:
    """Return the page among the links of the head that a page belongs to."""
    if file in _LIST_LINKS:
        return "index.html"
    for beginning, page in (("month-", "months.html"), ("player-", "search.html"), ("event-", "events.html")):
        if file.startswith(beginning):
            return page
    return {"player.html": "search.html", "event.html": "events.html"}.get(file, file)


def style(colour: str = "") -> str:
    """Return the style sheet of the site, with the colour of the office on light pages."""
    own = f"\n@media not (prefers-color-scheme: dark) {{\n  :root {{ --brand: {colour}; }}\n}}\n" if colour else ""
    return (html_pages.folder() / "site.css").read_text(encoding="utf-8") + own


@cache
def _colours() -> dict[str, str]:
    """Return the colours of light pages by name: ``brand``, ``rapid``, ``blitz`` and others."""
    # The first of a name; those of dark pages follow.
    return dict(reversed(re.findall("--([a-z]+): (#[0-9a-f]{6});", style())))
