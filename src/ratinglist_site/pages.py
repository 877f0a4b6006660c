"""Put a page of the site into its frame, and write what pages load and what programs read.

A page has a head, links and a foot; pages load the script and the style; programs read a feed of lists and changes, a
calendar of dates, and a map for search engines. The feed and the map name pages by their whole addresses, so there is
none where the office states no address.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, NamedTuple
from urllib.parse import quote
from xml.etree import ElementTree as ET

from markupsafe import Markup

from ratinglist.pages import charts, html_pages
from ratinglist.pages.html_pages import drawing
from ratinglist.text import on_one_line
from ratinglist.workflows.for_readers import ComingList
from ratinglist_site.texts import SiteTexts

_LINKS = {
    "index.html": "lists",
    "search.html": "players",
    "months.html": "months",
    "events.html": "events",
    "compare.html": "compare",
    "about.html": "about",
}
_SECTIONS = {"list": "index.html", "month": "months.html", "player": "search.html", "event": "events.html"}
"""The link of the head that a page belongs to, by the beginning of its name."""
_SCRIPT_PAGES = {"player": "players", "search": "players", "compare": "compare", "event": "event"}
POLICY = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; "
    "form-action 'none'"
)
"""Only the scripts, the data, the style sheet and the images of the page's own host."""
_SPARK_WIDTH, _SPARK_HEIGHT, _SPARK_SPAN = 80, 20, 40


@dataclass(frozen=True, slots=True)
class Frame:
    """What every page has: the texts, the name of the site, the version of the data, and the newest month."""

    texts: SiteTexts
    name: str
    version: str
    newest: str
    address: str = ""
    colour: str = ""
    has_clubs: bool = False

    @property
    def title(self) -> str:
        """The name of the site."""
        return self.name or self.texts.texts["site"]

    def address_of(self, file: str) -> str:
        """Return the whole address of a page."""
        return self.address + ("" if file == "index.html" else file)

    def page(self, template: str, file: str, *, page: str = "", indexed: bool = True, **values: object) -> str:
        """Return a page. ``page``: its name for the script; ``indexed``: search engines may list it."""
        texts = self.texts
        section = _SECTIONS.get(file.removesuffix(".html").partition("-")[0], file)
        return html_pages.render(
            template,
            t=texts.texts,
            w=texts,
            frame=self,
            address=self.address_of(file) if self.address else "",
            description=texts.text("description", site=self.title, month=texts.month(self.newest)),
            policy=POLICY,
            links=[(address, texts.texts[key]) for address, key in _LINKS.items()],
            current="events.html" if file.startswith("events-") else section,
            page=page,
            indexed=indexed,
            line=on_one_line,
            sparkline=sparkline,
            **{"control": "", **values},
        )

    def script_pages(self, controls: list[str]) -> dict[str, str]:
        """Return the pages that the script fills, by file name; search engines may not list names through them."""
        return {
            f"{page}.html": self.page(
                "search.html" if page == "search" else "script_page.html",
                f"{page}.html",
                page=page,
                indexed=False,
                heading=self.texts.texts[key],
                controls=controls,
            )
            for page, key in _SCRIPT_PAGES.items()
        }

    def parts(self) -> dict[str, str]:
        """Return what pages load, by file name: the script, its texts, the style, the icon."""
        folder, texts = html_pages.folder(), self.texts
        scripts = [path.read_text(encoding="utf-8") for path in sorted((folder / "script").glob("*.js"))]
        words = {"format": texts.format, "texts": texts.texts, "reasons": texts.reasons}
        style = (folder / "site.css").read_text(encoding="utf-8")
        # The first of this name is that of light pages.
        brand = self.colour or style.partition("--brand: ")[2].partition(";")[0]
        own = f"\n@media not (prefers-color-scheme: dark) {{\n  :root {{ --brand: {self.colour}; }}\n}}\n"
        return {
            f"parts/{self.version}/texts.js": f"window.RL_TEXTS = {json.dumps(words, ensure_ascii=False)};\n",
            f"parts/{self.version}/site.js": "\n".join(['"use strict";\n\n(() => {', *scripts, "})();", ""]),
            f"parts/{self.version}/site.css": style + (own if self.colour else ""),
            "icon.svg": html_pages.render("icon.svg", colour=brand),
        }

    def spread(self, control: str, month: str, bands: list[tuple[int, int, int | None]]) -> Markup:
        """Return the chart of a list's players in bands: lowest rating, players, players on the list before."""
        t = self.texts.texts
        title = (t["distribution_text"], t["distribution_text"], t["rating"], t["players"])
        now = charts.Series(self.texts.month(month), [(band, players) for band, players, _ in bands])
        before = charts.Series(t["before"], [(band, players or 0) for band, _, players in bands])
        lines = [now, before] if any(players is not None for _, _, players in bands) else [now]
        chart = charts.Chart(f"distribution-{control}", *title)
        return drawing(charts.line_chart(chart, lines, band=[(band, 0, players) for band, players, _ in bands]))

    def trends(self, months: list[dict[str, Any]]) -> list[tuple[str, Markup]]:
        """Return the charts of all months with their titles. In: months with ``month`` and ``figures`` by control."""
        controls = list(dict.fromkeys(control for month in months for control in month["figures"]))
        ticks = [(number, self.texts.short_month(month["month"])) for number, month in enumerate(months)]
        drawn = []
        for key, figure, decimals in (("players", "players", 0), ("health_mean", "mean", 2)):
            title = self.texts.texts[key].capitalize()
            lines = [
                charts.Series(
                    self.texts.control(control),
                    [
                        (number, month["figures"][control][figure] if control in month["figures"] else None)
                        for number, month in enumerate(months)
                    ],
                )
                for control in controls
            ]
            chart = charts.Chart(f"months-{figure}", title, title, self.texts.texts["month"], title, decimals)
            drawn.append((title, drawing(charts.line_chart(chart, lines, ticks))))
        return drawn


def sparkline(year: list[dict[str, int]], last: int) -> dict[str, object] | None:
    """Return the ratings of the last months as a path and its end; None with fewer than two.

    It spans at least 40 points, so that noise does not look like a fall. ``last``: the number of the newest month.
    """
    if len(year) < 2:
        return None
    ratings = [point["rating"] for point in year]
    months = max(last - year[0]["month"], 1)
    middle, span = (max(ratings) + min(ratings)) // 2, max(max(ratings) - min(ratings), _SPARK_SPAN)
    places = [
        (
            _SPARK_WIDTH - 4 - (last - point["month"]) * (_SPARK_WIDTH - 6) // months,
            _SPARK_HEIGHT // 2 - (point["rating"] - middle) * (_SPARK_HEIGHT - 4) // span,
        )
        for point in year
    ]
    return {"path": "M" + "L".join(f"{x} {y}" for x, y in places), "end": places[-1]}


FEED, CALENDAR, MAP = "feed.xml", "calendar.ics", "sitemap.xml"
_ENTRIES = 50
_ATOM = "http://www.w3.org/2005/Atom"
_SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
_LINE_BYTES = 73
"""Most bytes of a line of a calendar, its end and the blank before a continued one left out (RFC 5545, 3.1)."""


class Entry(NamedTuple):
    """An entry of the feed. ``change``: of the list of the month, such as ``r2``; empty: the list itself."""

    day: str
    month: str
    change: str
    page: str
    title: str


def feed(frame: Frame, entries: Iterable[Entry]) -> bytes:
    """Return the Atom feed (RFC 4287): each list, correction and rollback, the newest first."""
    newest = sorted(entries, reverse=True)[:_ENTRIES]
    root = ET.Element("feed", {"xmlns": _ATOM, "xml:lang": frame.texts.texts["language"]})
    _add(root, "id", frame.address)
    _add(root, "title", frame.title)
    _add(root, "updated", f"{newest[0].day}T00:00:00Z")
    _add(_add(root, "author"), "name", frame.title)
    _add(root, "link", rel="self", href=frame.address + FEED)
    _add(root, "link", href=frame.address)
    for shown in newest:
        entry = _add(root, "entry")
        address = frame.address_of(shown.page)
        _add(entry, "id", f"{address}#{shown.month}-{shown.change}" if shown.change else address)
        _add(entry, "title", shown.title)
        _add(entry, "updated", f"{shown.day}T00:00:00Z")
        _add(entry, "link", href=address)
        _add(entry, "summary", shown.title)
    return _xml(root)


def site_map(frame: Frame, files: Iterable[str]) -> bytes:
    """Return the map of the pages that search engines may list."""
    root = ET.Element("urlset", {"xmlns": _SITEMAP})
    for name in sorted(files):
        _add(_add(root, "url"), "loc", frame.address_of(name))
    return _xml(root)


def calendar(frame: Frame, coming: Sequence[ComingList]) -> bytes:
    """Return the closing dates and the days of the next lists, each a whole day, as a calendar (RFC 5545)."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//ratinglist//rating lists//EN"]
    for listed in coming:
        days = [*((day, "closing_date") for day in listed.closing), (listed.period.first_day, "month_title")]
        for day, key in days:
            title = frame.texts.text(key, month=frame.texts.month(str(listed.period)))
            lines += _event(frame, day, f"{listed.period}-{key}-{day:%Y%m%d}", title)
    return "".join(f"{part}\r\n" for line in [*lines, "END:VCALENDAR"] for part in _folded(line)).encode()


def _event(frame: Frame, day: date, name: str, title: str) -> list[str]:
    text = f"{title} ({frame.title})"
    for sign in ("\\", ";", ","):
        text = text.replace(sign, f"\\{sign}")
    return [
        "BEGIN:VEVENT",
        f"UID:{name}@{quote(frame.title, safe='')}",
        # The calendar is made of the newest list, and of no clock.
        f"DTSTAMP:{frame.newest.replace('-', '')}01T000000Z",
        f"DTSTART;VALUE=DATE:{day:%Y%m%d}",
        f"DTEND;VALUE=DATE:{day + timedelta(days=1):%Y%m%d}",
        f"SUMMARY:{on_one_line(text)}",
        "TRANSP:TRANSPARENT",
        "END:VEVENT",
    ]


def _folded(line: str) -> Iterator[str]:
    """Yield a line in parts that are short enough; each but the first begins with a blank."""
    part = ""
    for letter in line:
        if len((part + letter).encode()) > _LINE_BYTES:
            yield part
            part = " "
        part += letter
    yield part


def _add(parent: ET.Element, name: str, text: str = "", **attributes: str) -> ET.Element:
    element = ET.SubElement(parent, name, attributes)
    element.text = on_one_line(text) or None
    return element


def _xml(root: ET.Element) -> bytes:
    ET.indent(root)
    content: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return content + b"\n"
