"""Write what programs read: a feed of lists and changes, a calendar of dates, and a map for search engines.

The feed and the map name pages by their whole addresses, so there is none where the office states no address.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from typing import NamedTuple
from urllib.parse import quote
from xml.etree import ElementTree as ET

from ratinglist.text import on_one_line
from ratinglist.workflows.for_readers import ComingList
from ratinglist_site.pages import Frame

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
