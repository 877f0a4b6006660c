"""Write what programs read: a feed of lists and changes, a calendar of dates, and a map for search engines.

The feed and the map name pages by their whole addresses, so there is none where the office states no address.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import islice
from typing import NamedTuple
from urllib.parse import quote
from xml.etree import ElementTree as ET

from ratinglist.period import Period
from ratinglist.rating.rules import RuleBook
from ratinglist.site.correction_page import ChangedMonth, sections, withdrawn_section
from ratinglist.site.frame import Frame
from ratinglist.site.pages import DATA_PAGE
from ratinglist.site.published_months import PublishedMonth, WithdrawnMonth
from ratinglist.text import on_one_line

FEED, CALENDAR, MAP = "feed.xml", "calendar.ics", "sitemap.xml"
_ENTRIES = 50
_WHOLE = ("index.html", "months.html", "corrections.html", "about.html", DATA_PAGE)
_NEXT_LISTS = 12
_ATOM = "http://www.w3.org/2005/Atom"
_SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
_LINE_BYTES = 73
"""Most bytes of a line of a calendar, its end and the blank before a continued one left out (RFC 5545, 3.1)."""


class _Entry(NamedTuple):
    """An entry of the feed. ``change``: of the list of the month, such as ``r2``; empty: the list itself."""

    day: str
    month: str
    change: str
    title: str
    text: str


def feed(
    frame: Frame,
    months: Sequence[PublishedMonth],
    changed: Iterable[ChangedMonth],
    withdrawn: Iterable[WithdrawnMonth],
) -> bytes:
    """Return the Atom feed (RFC 4287): each list, correction and rollback, the newest first.

    A list and its corrections have the day on which the list takes effect, since no published file has another.
    """
    entries = [_Entry(str(month.period.first_day), month.name, "", _title(frame, month.name), "") for month in months]
    for one in changed:
        entries += _changes(frame, one)
    entries += [
        _change(frame, str(gone.day), gone.month, "withdrawn", withdrawn_section(frame, gone)) for gone in withdrawn
    ]
    entries = sorted(entries, key=lambda entry: entry[:3], reverse=True)[:_ENTRIES]
    root = ET.Element("feed", {"xmlns": _ATOM, "xml:lang": frame.texts.page["language"]})
    _add(root, "id", frame.address)
    _add(root, "title", frame.title)
    _add(root, "updated", f"{entries[0].day}T00:00:00Z")
    _add(_add(root, "author"), "name", frame.title)
    _add(root, "link", rel="self", href=frame.address + FEED)
    _add(root, "link", href=frame.address)
    for shown in entries:
        entry = _add(root, "entry")
        address = frame.address_of("corrections.html" if shown.change == "withdrawn" else f"month-{shown.month}.html")
        _add(entry, "id", f"{address}#{shown.month}-{shown.change}" if shown.change else address)
        _add(entry, "title", shown.title)
        _add(entry, "updated", f"{shown.day}T00:00:00Z")
        _add(entry, "link", href=address)
        _add(entry, "summary", shown.text or shown.title)
    return _xml(root)


def _changes(frame: Frame, changed: ChangedMonth) -> Iterator[_Entry]:
    """Yield the corrections and rollbacks of a month, as its page shows them."""
    first_day = str(Period.parse(changed.month).first_day)
    names = [(str(step["rolled_back_on"]), f"rollback-{at}") for at, (step, _) in enumerate(changed.rollbacks, 1)]
    corrections = [(first_day, f"r{number}") for number, _ in changed.corrections]
    shown = sections(frame, changed)
    for (day, name), section in zip([*reversed(names), *reversed(corrections)], shown, strict=True):
        yield _change(frame, day, changed.month, name, section)


def _change(frame: Frame, day: str, month: str, name: str, section: Mapping[str, str]) -> _Entry:
    return _Entry(day, month, name, f"{frame.month(month)}: {section['heading']}", section["reason"])


def _title(frame: Frame, month: str) -> str:
    return frame.text("month_title", month=frame.month(month))


def site_map(frame: Frame, controls: Iterable[str], months: Iterable[PublishedMonth]) -> bytes:
    """Return the map of the pages that search engines may list: those of the site, of lists and of months."""
    root = ET.Element("urlset", {"xmlns": _SITEMAP})
    lists = [f"list-{control}.html" for control in controls]
    files = [*_WHOLE, *lists, *(f"month-{month.name}.html" for month in months)]
    for name in sorted(files):
        _add(_add(root, "url"), "loc", frame.address_of(name))
    return _xml(root)


def calendar(frame: Frame, book: RuleBook, family: str, newest: Period) -> bytes:
    """Return the closing dates and the days of the next lists, each a whole day, as a calendar (RFC 5545)."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//ratinglist//rating lists//EN"]
    for period in islice(_next_lists(book, family, newest), _NEXT_LISTS):
        month = frame.month(str(period))
        days = [(day, "closing_date") for day in book.closing_dates(family, period)]
        for day, key in [*days, (period.first_day, "month_title")]:
            lines += _event(frame, day, f"{period}-{key}-{day:%Y%m%d}", frame.text(key, month=month), newest)
    return "".join(f"{part}\r\n" for line in [*lines, "END:VCALENDAR"] for part in _folded(line)).encode()


def next_list(book: RuleBook, family: str, newest: Period) -> tuple[Period, date]:
    """Return the list after the newest one, and the first of its closing dates."""
    period = next(_next_lists(book, family, newest))
    return period, book.closing_dates(family, period)[0]


def _next_lists(book: RuleBook, family: str, newest: Period) -> Iterator[Period]:
    while True:
        newest = book.next_list(family, newest + 1)
        yield newest


def _event(frame: Frame, day: date, name: str, title: str, newest: Period) -> list[str]:
    text = f"{title} ({frame.title})"
    for sign in ("\\", ";", ","):
        text = text.replace(sign, f"\\{sign}")
    return [
        "BEGIN:VEVENT",
        f"UID:{name}@{quote(frame.title, safe='')}",
        # The calendar is made of the newest list, and of no clock.
        f"DTSTAMP:{newest.first_day:%Y%m%d}T000000Z",
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
