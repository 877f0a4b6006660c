"""Make the pages of a site that need no script: newest list, lists, months, about; and read its script and style."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import polars as pl

from ratinglist.number_text import signed
from ratinglist.pages import charts, html_pages
from ratinglist.rating.rules import RuleSet, shown
from ratinglist.safe_text import on_one_line
from ratinglist.schemas import LISTED, on_site
from ratinglist.site.texts import SiteTexts

Cell = str | int | tuple[str, str] | None
Head = list[tuple[str, bool]]

ROWS_WITHOUT_SCRIPT = 1_000
_TOP = 20


@dataclass(frozen=True, slots=True)
class Frame:
    """What every page has: the texts, the version of the data, and the newest month."""

    texts: SiteTexts
    version: str
    newest: str

    def page(self, template: str, *, file: str, page: str = "", indexed: bool = True, **values: object) -> str:
        """Return a page. ``page``: its name for the script; ``indexed``: search engines may list it."""
        head = {"t": self.texts.page, "version": self.version, "newest": self.newest, "policy": html_pages.SITE_POLICY}
        return html_pages.render(
            template,
            **head,
            current=file,
            page=page,
            indexed=indexed,
            scripted=bool(page),
            control=values.pop("control", ""),
            **values,
        )

    def text(self, key: str, **values: object) -> str:
        """Return a text of the pages, with ``values`` in the place of the words in braces."""
        return self.texts.page[key].format(**values)

    def control(self, name: str) -> str:
        """Return the name of a time control."""
        return self.texts.page[f"control_{name}"]

    def head(self, *keys: str) -> Head:
        """Return the head of a table; a key that ends in ``#`` is of a column of numbers."""
        return [(self.texts.page[key.rstrip("#")], key.endswith("#")) for key in keys]


def player_cell(row: Mapping[str, Any], month: str = "") -> tuple[str, str]:
    """Return a player's name as a link to the player's page, of a month where one is given."""
    name = on_one_line(row["name"] or str(row["fide_id"]))
    return name, f"player.html#{row['fide_id']}" + (f"/{month}" if month else "")


def event_cell(row: Mapping[str, Any], month: str) -> tuple[str, str]:
    """Return an event's name as a link to the event's page."""
    return on_one_line(row["name"] or row["event_id"]), f"event.html#{month}/{quote(row['event_id'], safe='')}"


def script_pages(frame: Frame) -> dict[str, str]:
    """Return the pages that the script fills, by file name.

    Players and events are no pages of their own: their pages carry ``noindex``, so no minor's name gets into a search
    engine through them.
    """
    pages = {
        "player": ("player_title", False),
        "search": ("search_title", True),
        "compare": ("compare_title", True),
        "event": ("event_title", False),
        "events": ("events_title", False),
    }
    return {
        f"{page}.html": frame.page(
            "script_page.html",
            file=f"{page}.html",
            page=page,
            indexed=False,
            heading=frame.text(key),
            shows_heading=shows_heading,
        )
        for page, (key, shows_heading) in pages.items()
    }


_SHOWN = [name for name in on_site("list") if name not in ("fide_id", "sex")]
_AFTER_RATING = _SHOWN.index("rating") + 1
LIST_HEAD = (
    "place#",
    *(
        f"{name}#" if name == "change" or LISTED.columns[name].dtype.is_integer() else name
        for name in (*_SHOWN[:_AFTER_RATING], "change", *_SHOWN[_AFTER_RATING:])
    ),
)
"""The columns of a list on a page, as :meth:`Frame.head` takes them; the script reads them too."""


def list_rows(frame: Frame, rows: pl.DataFrame, most: int) -> list[list[Cell]]:
    """Return the first rows of a list with ``change`` as cells."""
    dates = pl.col(pl.Date).cast(pl.String)
    shown = [
        row
        | {
            "place": place,
            "name": player_cell(row),
            "change": frame.text("new") if row["change"] is None else signed(row["change"]),
        }
        for place, row in enumerate(rows.head(most).with_columns(dates).iter_rows(named=True), 1)
    ]
    return [[row[name.rstrip("#")] for name in LIST_HEAD] for row in shown]


def index_page(frame: Frame, day: str, lists: Mapping[str, pl.DataFrame], counts: Mapping[str, int]) -> str:
    """Return the first page. In: the first rows of the newest lists, with ``change``, and how many players each has."""
    files = {name: f"list-{name}.html" for name in lists}
    return frame.page(
        "index.html",
        file="index.html",
        page="index",
        month=frame.newest,
        day=day,
        lists=[(frame.control(name), f"{counts[name]:,}", files[name]) for name in lists],
        head=frame.head(*LIST_HEAD),
        tops=[(frame.control(name), list_rows(frame, rows, _TOP), files[name]) for name, rows in lists.items()],
    )


def list_page(frame: Frame, control: str, rows: pl.DataFrame) -> str:
    """Return the page of a list: its first rows, which the script replaces with filters and all rows."""
    heading = frame.text("list_title", control=frame.control(control).capitalize(), month=frame.newest)
    count = min(rows.height, ROWS_WITHOUT_SCRIPT)
    key = "list_whole" if count == rows.height else "list_first"
    return frame.page(
        "list.html",
        file=f"list-{control}.html",
        page="list",
        control=control,
        heading=heading,
        intro=frame.text(key, shown=f"{count:,}", count=f"{rows.height:,}"),
        head=frame.head(*LIST_HEAD),
        rows=list_rows(frame, rows, ROWS_WITHOUT_SCRIPT),
    )


class Trend(NamedTuple):
    """A list among those of all months: its players, their mean rating, and what a one-time step added to the mean.

    Both are in hundredths; there is no mean without players.
    """

    players: int
    mean: int | None
    step: int


def _line(
    months: Sequence[tuple[str, str, str, Mapping[str, Trend]]], control: str, *, is_mean: bool
) -> list[tuple[int, int | None]]:
    """Return the players of a time control by month, or their mean rating less the steps after the first month."""
    points: list[tuple[int, int | None]] = []
    steps = 0
    for number, (*_, figures) in enumerate(months):
        found = figures.get(control)
        steps += found.step if found is not None and number else 0
        mean = None if found is None or found.mean is None else found.mean - steps
        points.append((number, mean if is_mean else found and found.players))
    return points


def months_page(frame: Frame, months: Sequence[tuple[str, str, str, Mapping[str, Trend]]]) -> str:
    """Return the page of all months. In: month, revision, digest, and the figures by time control.

    The chart of the means leaves out the one-time steps after the first month: they are no inflation.
    """
    controls = list(dict.fromkeys(name for _, _, _, figures in months for name in figures))
    ticks = [(number, month) for number, (month, *_) in enumerate(months)]
    stepped = ", ".join(month for month, *_, figures in months[1:] if any(one.step for one in figures.values()))
    note = frame.text("trend_step", months=stepped) if stepped else ""
    drawings = []
    for key, is_mean in (("trend_players", False), ("trend_mean", True)):
        series = [charts.Series(frame.control(name), _line(months, name, is_mean=is_mean)) for name in controls]
        if any(value is not None for one in series for _, value in one.points):
            title, decimals = frame.text(key), 2 if is_mean else 0
            chart = charts.Chart(f"months-{key}", title, title, frame.text("month"), title, decimals)
            drawings.append(html_pages.drawing(charts.line_chart(chart, series, ticks)))
    rows: list[list[Cell]] = [
        [
            (month, f"month-{month}.html"),
            revision,
            *(figures[name].players if name in figures else None for name in controls),
            digest,
        ]
        for month, revision, digest, figures in reversed(months)
    ]
    head = [
        *frame.head("month", "revision"),
        *((frame.control(name), True) for name in controls),
        *frame.head("digest"),
    ]
    return frame.page("months.html", file="months.html", charts=drawings, note=note, head=head, rows=rows)


def about_page(
    frame: Frame,
    digests: Iterable[tuple[str, str, str]],
    rule_sets: Iterable[RuleSet],
    left_out: Iterable[str],
    revision: str,
) -> str:
    """Return the page on the rules, the digests (month, revision, digest), and what is not published."""
    return frame.page(
        "about.html",
        file="about.html",
        revision=revision,
        left_out=", ".join(left_out),
        digests_head=frame.head("month", "revision", "digest"),
        digests=[[(month, f"month-{month}.html"), number, digest] for month, number, digest in digests],
        rules_head=frame.head("about_key", "about_value", "article"),
        rule_sets=[
            (one.name, one.source, [[key, shown(value), one.articles[key]] for key, value in one.values().items()])
            for one in rule_sets
        ],
    )


def script() -> str:
    """Return the script of the site: its parts, in the order of their names, in one function."""
    parts = [path.read_text(encoding="utf-8") for path in sorted((html_pages.folder() / "script").glob("*.js"))]
    return "\n".join(['"use strict";\n\n(() => {', *parts, "})();", ""])


def style() -> bytes:
    """Return the style sheet of the site."""
    return (html_pages.folder() / "site.css").read_bytes()


def program_digest() -> str:
    """Return a digest of the program's own files that make a site: another program writes all files again."""
    own = [*Path(__file__).parent.glob("*.py"), *html_pages.folder().rglob("*")]
    digests = sorted((path.name, hashlib.sha256(path.read_bytes()).hexdigest()) for path in own if path.is_file())
    return hashlib.sha256(json.dumps(digests).encode()).hexdigest()
