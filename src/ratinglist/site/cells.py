"""Write what stands in the cells of the site's tables: players, events, changes, months, and the line of a year."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from markupsafe import Markup, escape

from ratinglist.pages.html_pages import drawing
from ratinglist.site.texts import SiteTexts
from ratinglist.text import on_one_line

Cell = str | int | Markup | tuple[str, str] | None
"""A text, a number, a text with its address, or elements that are escaped already; None is blank."""
Head = list[tuple[str, str]]
"""The head of a table: the text and the classes of each column."""

_CLASSES = {"#": "number", "@": "wide", "!": "strong", "~": "quiet", "%": "late-column", "^": "code"}
"""What the signs behind the key of a column mean: ``@`` is not shown on a phone, ``%`` neither on a tablet."""
_SIGNS = "".join(_CLASSES)
_FIGURE_SIGNS = re.compile(r"(?<=\d)[,.](?=\d)")
_SPARK_WIDTH, _SPARK_HEIGHT, _SPARK_SPAN = 80, 20, 40


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a language for months, days, figures and the heads of tables."""

    texts: SiteTexts

    def text(self, key: str, **values: object) -> str:
        """Return a text of the pages, with ``values`` in the place of the words in braces."""
        return self.texts.page[key].format(**values)

    def count(self, noun: str, count: int) -> str:
        """Return a number with its noun, in the singular or the plural: ``1 player``, ``1,204 players``."""
        is_singular = count == 1 or (count == 0 and self.texts.format.zero_is_one)
        return self.text(f"{noun}_{'one' if is_singular else 'other'}", count=self.whole(count))

    def figures(self, text: str) -> str:
        """Return figures such as ``1,950.43`` with the language's signs between thousands and before decimals."""
        written = self.texts.format
        return _FIGURE_SIGNS.sub(lambda sign: written.thousands if sign[0] == "," else written.decimal, text)

    def whole(self, count: int) -> str:
        """Return a count with the language's sign between thousands."""
        return self.figures(f"{count:,}")

    def control(self, name: str) -> str:
        """Return the name of a time control."""
        return self.texts.page[f"control_{name}"]

    def month(self, month: str) -> str:
        """Return ``YYYY-MM`` as people write it, such as ``December 2025``."""
        return self.texts.format.month_of_year.format(month=self._month_of(month), year=month[:4])

    def day(self, day: object) -> str:
        """Return ``YYYY-MM-DD`` as people write it, such as ``1 December 2025``."""
        return self.texts.format.day_of_year.format(**self._parts(str(day)))

    def days(self, first: object, last: object) -> str:
        """Return the days of an event, such as ``20–22 November`` or ``27 September – 3 October``; empty without."""
        written = self.texts.format
        days = [self._parts(day) for day in dict.fromkeys(str(day) for day in (first, last) if day)]
        if len(days) == 2 and all(days[0][part] == days[1][part] for part in ("year", "month")):
            return written.days_of_month.format(first=days[0]["day"], last=days[1]["day"], month=days[0]["month"])
        return " – ".join(written.day_of_month.format(**day) for day in days)

    def _parts(self, day: str) -> dict[str, object]:
        return {"day": int(day[8:]), "month": self._month_of(day), "year": day[:4]}

    def _month_of(self, day: str) -> str:
        return self.texts.format.months[int(day[5:7]) - 1]

    def head(self, *keys: str) -> Head:
        """Return the head of a table; the signs behind a key are those of the classes of the column."""
        return [(self.texts.page[key.rstrip(_SIGNS)], " ".join(classes(key))) for key in keys]


def classes(key: str) -> list[str]:
    """Return the classes of a column by its key: its name if it has a width of its own, and those of its signs."""
    name = key.rstrip(_SIGNS)
    own = [name] if name in ("name", "no", "place", "year", "was_is", "length") else []
    return [*own, *(_CLASSES[sign] for sign in key[len(name) :])]


def player_cell(row: Mapping[str, Any], month: str = "", below: Iterable[object] = ()) -> Markup:
    """Return a player's title and name, a link to the player's page, of a month where one is given.

    ``below``: what stands under the name on a phone, where the columns that have it are not shown.
    """
    name = on_one_line(row["name"] or str(row["fide_id"]))
    address = f"player.html#{row['fide_id']}" + (f"/{month}" if month else "")
    badge = Markup('<b class="badge">{}</b> ').format(row["title"]) if row.get("title") else ""
    under = Markup(" · ").join(Markup.escape(one) for one in below if one not in (None, ""))
    more = Markup('<span class="under">{}</span>').format(under) if under else ""
    return Markup('{}<a href="{}">{}</a>{}').format(badge, address, name, more)


def event_cell(row: Mapping[str, Any], month: str) -> tuple[str, str]:
    """Return an event's name as a link to the event's page."""
    return on_one_line(row["name"] or row["event_id"]), f"event.html#{month}/{quote(row['event_id'], safe='')}"


def minus(text: str) -> str:
    """Return a figure with a true minus sign."""
    return text.replace("-", "\u2212", 1)


def change_cell(change: int | None, games: int | None = 1, new: str = "") -> Cell:
    """Return a change with its sign and colour; ``new`` for a player without one, a dash without rated games."""
    if change is None:
        return new
    if not change:
        return "0" if games else "–"
    return Markup('<span class="{}">{}</span>').format("gain" if change > 0 else "loss", minus(f"{change:+d}"))


def bar_cell(change: int, most: int) -> Markup:
    """Return a bar as long as a change is large; ``most``: the largest."""
    kind = "" if change > 0 else ' class="loss"'
    return Markup('<progress{} max="{}" value="{}" aria-hidden="true"></progress>').format(
        drawing(kind), most, abs(change)
    )


def was_and_is(was: int | None, now: int | None, gone: str = "–") -> str:
    """Return the rating before and after: ``1802 → 1948``."""
    before, after = (gone if rating is None else rating for rating in (was, now))
    return f"{before} → {after}"


def sparkline(ratings: Sequence[int | None]) -> Cell:
    """Return the ratings of some months as a small line; blank with fewer than two.

    It spans at least 40 points, so that noise does not look like a fall.
    """
    known = [one for one in ratings if one is not None]
    if len(known) < 2:
        return None
    middle, span = (max(known) + min(known)) // 2, max(max(known) - min(known), _SPARK_SPAN)
    places = [
        (
            at * (_SPARK_WIDTH - 6) // (len(ratings) - 1) + 2,
            _SPARK_HEIGHT // 2 - (one - middle) * (_SPARK_HEIGHT - 4) // span,
        )
        for at, one in enumerate(ratings)
        if one is not None
    ]
    path = "M" + "L".join(f"{x} {y}" for x, y in places)
    x, y = places[-1]
    return Markup(
        '<svg class="sparkline" viewBox="0 0 {} {}" aria-hidden="true"><path d="{}"/>'
        '<circle cx="{}" cy="{}" r="2.4"/></svg>'
    ).format(_SPARK_WIDTH, _SPARK_HEIGHT, path, x, y)


def tag(text: str, kind: str) -> Markup:
    """Return a small label; ``kind`` chooses its colour."""
    return Markup('<span class="tag {}">{}</span>').format(kind, escape(text))
