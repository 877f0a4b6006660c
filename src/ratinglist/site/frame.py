"""Put a page into the frame that every page of a site has: head, links and foot."""

from __future__ import annotations

from dataclasses import dataclass

from ratinglist.pages import html_pages
from ratinglist.site.cells import Words

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

    ``has_clubs``: there is a page of clubs. ``address``: of the site, with a slash at its end; empty: not known.
    ``colour``: of the office, as ``#17493b``; empty: the program's own.
    """

    name: str
    version: str
    newest: str
    has_clubs: bool = False
    address: str = ""
    colour: str = ""

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

    def page(self, template: str, *, file: str, page: str = "", indexed: bool = True, **values: object) -> str:
        """Return a page. ``page``: its name for the script; ``indexed``: search engines may list it."""
        return html_pages.render(
            template,
            t=self.texts.page,
            site={"name": self.title},
            address=self.address_of(file) if self.address else "",
            description=self.text("description", site=self.title, month=self.month(self.newest)),
            parts=self.parts,
            version=self.version,
            newest=self.newest,
            has_clubs=self.has_clubs,
            newest_name=self.month(self.newest),
            policy=html_pages.SITE_POLICY,
            links=[(address, self.texts.page[key]) for address, key in _LINKS],
            current=_section_of(file),
            page=page,
            indexed=indexed,
            control=values.pop("control", ""),
            **values,
        )


def _section_of(file: str) -> str:
    """Return the page among the links of the head that a page belongs to."""
    if file in _LIST_LINKS:
        return "index.html"
    if file.startswith("month-"):
        return "months.html"
    return {"player.html": "search.html", "event.html": "events.html"}.get(file, file)


def style(colour: str = "") -> str:
    """Return the style sheet of the site, with the colour of the office on light pages."""
    own = f"\n@media not (prefers-color-scheme: dark) {{\n  :root {{ --brand: {colour}; }}\n}}\n" if colour else ""
    return (html_pages.folder() / "site.css").read_text(encoding="utf-8") + own
