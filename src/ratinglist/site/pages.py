"""Make the pages of a site that need no script: lists, months, about, clubs, data; and read its script and style."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl
from markupsafe import Markup

from ratinglist.analysis import standings
from ratinglist.pages import charts, html_pages
from ratinglist.publication.revision_writer import DATA_PACKAGE
from ratinglist.rating.rules import RuleSet, shown
from ratinglist.site.cells import Cell, change_cell, player_cell, tag
from ratinglist.site.data_file import CONTROLS, as_json
from ratinglist.site.folder import Download
from ratinglist.site.frame import Frame, style
from ratinglist.site.published_months import PublishedMonth
from ratinglist.tables import on_site
from ratinglist.text import on_one_line

ROWS_WITHOUT_SCRIPT = 100
"""As many as the script shows first: more would take a phone half a second, to be replaced at once."""


def script_pages(frame: Frame, controls: Sequence[str]) -> dict[str, str]:
    """Return the pages that the script fills, by file name. ``controls``: those of the newest lists.

    They carry ``noindex``, so no minor's name gets into a search engine through them.
    """
    pages = {"player": "player_title", "search": "search_title", "compare": "compare_title"}
    pages |= {"event": "event_title", "events": "events_title"}
    return {
        f"{page}.html": frame.page(
            "search.html" if page == "search" else "script_page.html",
            file=f"{page}.html",
            page=page,
            indexed=False,
            heading=frame.text(key),
            lists=control_tabs(frame, controls, "list-{}.html"),
        )
        for page, key in pages.items()
    }


_SIGNS = {"rating": "#!", "change": "#", "federation": "@", "flag": "@"}
_FIRST = ("federation", "birth_year", "rating", "change")
_NEXT_TO_NAME = ("fide_id", "name", "sex", "title")
LIST_HEAD = (
    "place#~",
    "name",
    *(
        f"{name}{_SIGNS.get(name, '#@')}"
        for name in (*_FIRST, *(one for one in on_site("list") if one not in (*_FIRST, *_NEXT_TO_NAME)))
    ),
)
"""The columns of a list on a page, as :meth:`Words.head` takes them; the script reads them too."""


TOP = 10
"""So many players are on the first page for each list."""


def highest(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the highest ratings of a list among the players who are active."""
    return rows.filter(~pl.col("flag").fill_null("").str.contains("i", literal=True)).head(TOP)


def list_head(*, birth_years: bool) -> list[str]:
    """Return the columns of a list: all, or all but the year of birth."""
    return [key for key in LIST_HEAD if birth_years or not key.startswith("birth_year")]


def list_rows(frame: Frame, rows: pl.DataFrame, head: Sequence[str], most: int) -> list[list[Cell]]:
    """Return the first rows of a list with ``change`` as cells."""
    first = rows.head(most).with_columns(pl.col(pl.Date).cast(pl.String), place())
    names = [key.rstrip("#@!~%") for key in head]
    shown = [
        row
        | {
            "name": player_cell(
                row,
                below=(
                    row["federation"],
                    row["birth_year"] if "birth_year" in names else None,
                    frame.texts.script["inactive"] if "i" in (row["flag"] or "") else None,
                ),
            ),
            "change": change_cell(row["change"], row["games"], frame.text("new")),
            "games": row["games"] or "–",
        }
        for row in first.iter_rows(named=True)
    ]
    return [[row[name] for name in names] for row in shown]


def place() -> pl.Expr:
    """Return the places of a list as ``place``; players of equal rating share one."""
    return pl.col("rating").rank("min", descending=True).alias("place")


def list_page(frame: Frame, control: str, controls: Sequence[str], rows: pl.DataFrame, *, birth_years: bool) -> str:
    """Return the page of a list: its first rows, which the script replaces with filters and all rows."""
    heading = frame.text("list_title", control=frame.control(control).capitalize(), month=frame.month(frame.newest))
    count = min(rows.height, ROWS_WITHOUT_SCRIPT)
    key = "list_whole" if count == rows.height else "list_first"
    head = list_head(birth_years=birth_years)
    return frame.page(
        "list.html",
        file=f"list-{control}.html",
        page="list",
        control=control,
        heading=heading,
        has_flags=bool((rows["flag"].fill_null("") != "").any()),
        title=frame.texts.script["list_title"].format(control=frame.control(control).capitalize()),
        month=frame.month(frame.newest),
        tabs=control_tabs(frame, controls, "list-{}.html"),
        current_tab=frame.control(control).capitalize(),
        intro=frame.text(
            key,
            shown=frame.whole(count),
            count=frame.whole(rows.height),
            players=frame.count("player", rows.height),
        ),
        new_means=frame.text("new_means", new=frame.text("new")),
        head=frame.head(*head),
        rows=list_rows(frame, rows, head, ROWS_WITHOUT_SCRIPT),
    )


def control_tabs(frame: Frame, controls: Iterable[str], address: str) -> list[tuple[str, str]]:
    """Return the links between the time controls; ``address`` has their name in braces."""
    return [(address.format(control), frame.control(control).capitalize()) for control in controls]


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


def months_page(
    frame: Frame, months: Sequence[tuple[str, str, str, Mapping[str, Trend]]], marked: Collection[str]
) -> str:
    """Return the page of all months. In: month, revision, digest, and the figures by time control.

    ``marked``: the months that a correction or a rollback touched.

    The chart of the means leaves out the one-time steps after the first month: they are no inflation.
    """
    controls = list(dict.fromkeys(name for _, _, _, figures in months for name in figures))
    ticks = [(number, frame.month(month)) for number, (month, *_) in enumerate(months)]
    stepped = ", ".join(
        frame.month(month) for month, *_, figures in months[1:] if any(one.step for one in figures.values())
    )
    note = frame.text("trend_step", months=stepped) if stepped else ""
    drawings = []
    for key, is_mean in (("trend_players", False), ("trend_mean", True)):
        series = [charts.Series(frame.control(name), _line(months, name, is_mean=is_mean)) for name in controls]
        if any(value is not None for one in series for _, value in one.points):
            title, decimals = frame.text(key), 2 if is_mean else 0
            chart = charts.Chart(f"months-{key}", title, title, frame.text("month"), title, decimals)
            drawings.append((title, html_pages.drawing(charts.line_chart(chart, series, ticks))))
    rows: list[list[Cell]] = [
        [
            (frame.month(month), f"month-{month}.html"),
            *(frame.whole(figures[name].players) if name in figures else None for name in controls),
            _changed(frame, month) if month in marked else None,
            *(
                (frame.text("list_of_month", control=frame.control(name)), f"list-{name}.html#month={month}")
                for name in controls
            ),
        ]
        for month, _, _, figures in reversed(months)
    ]
    head = [
        *frame.head("month"),
        *((frame.control(name).capitalize(), "number") for name in controls),
        *frame.head("changed_head"),
        *((frame.text("lists"), "wide") for _ in controls),
    ]
    return frame.page("months.html", file="months.html", charts=drawings, note=note, head=head, rows=rows)


def _changed(frame: Frame, month: str) -> Cell:
    """Return the mark of a month that was changed, which leads to what was changed."""
    mark = tag(frame.text("changed_mark"), "mark")
    return Markup('<a href="month-{}.html#changed">{}</a>').format(month, mark)


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
        office=frame.name,
        revision=revision,
        left_out=", ".join(left_out),
        digests_head=frame.head("month", "revision@", "digest^"),
        digests=[[(frame.month(month), f"month-{month}.html"), number, digest] for month, number, digest in digests],
        rules_head=frame.head("about_key", "about_value", "article"),
        rule_sets=[
            (
                one.name,
                one.source,
                [[_breakable(key), _breakable(shown(value)), one.articles[key]] for key, value in one.values().items()],
            )
            for one in rule_sets
        ],
    )


def _breakable(text: str) -> Markup:
    """Return a name of the rules that may be broken behind its points and lines, and nowhere else."""
    parts = re.split(r"(?<=[._,])(?=\w)", text)
    return Markup("<wbr>").join(parts)


_CLUBS = "clubs.html"


def club_members(named: pl.DataFrame, clubs: pl.DataFrame) -> pl.DataFrame:
    """Return the players on the site who are of a club, with ``club`` and ``page``, the number of its page from 1.

    Capital and small letters make no two clubs.

    In: ``named``: the players, with ``rating_0`` to ``rating_2``; ``clubs``: ``fide_id``, ``club``. Sorted by club, in
    a club by the highest rating.
    """
    return (
        named.join(clubs.select("fide_id", "club"), on="fide_id")
        .with_columns(
            pl.max_horizontal(f"rating_{number}" for number in CONTROLS.values()).alias("highest"),
            pl.col("club").str.to_lowercase().rank("dense").alias("page"),
        )
        .sort("page", "highest", "fide_id", descending=[False, True, False], nulls_last=True)
    )


def club_pages(frame: Frame, members: pl.DataFrame) -> dict[str, str]:
    """Return the pages by file name: none without members."""
    pages: dict[str, str] = {}
    clubs = []
    head = frame.head("name", "federation@", *(f"control_{name}#" for name in CONTROLS))
    for rows in members.partition_by("page", maintain_order=True):
        club, file = on_one_line(rows.item(0, "club")), f"club-{rows.item(0, 'page')}.html"
        clubs.append([(club, file), rows.height])
        cells = [
            [
                player_cell(row, below=[row["federation"]]),
                row["federation"],
                *(row[f"rating_{number}"] for number in CONTROLS.values()),
            ]
            for row in rows.iter_rows(named=True)
        ]
        pages[file] = _club_page(frame, club, file, head, cells)
    if clubs:
        pages[_CLUBS] = _club_page(frame, frame.text("clubs"), _CLUBS, frame.head("club", "members#"), clubs)
    return pages


def club_files(members: pl.DataFrame) -> dict[str, str]:
    """Return the data files by name: all clubs with the number of each, and the FIDE IDs of the members of each."""
    clubs = members.group_by("page", maintain_order=True).agg(pl.col("club").first(), "fide_id")
    files = {f"c/{page}": as_json(ids) for page, _, ids in clubs.iter_rows()}
    return files | ({"c/all": as_json(clubs.select("club", "page").rows())} if files else {})


def _club_page(frame: Frame, heading: str, file: str, head: object, rows: object) -> str:
    """Return a page with one table; search engines do not list it, as they do not list a player's page."""
    return frame.page("clubs.html", file=file, indexed=False, heading=heading, head=head, rows=rows)


DATA_PAGE = "data.html"
_QUERY = """select name, federation, old_rating, new_rating, change
from '{}'
join '{}' using (time_control, fide_id)
where status = 'rated' order by change desc limit 10;"""
_FOR_PAIRING = ("smanager_", "vega_", "players_list.")
"""How the names of the files begin that pairing programs read."""


def data_page(frame: Frame, month: PublishedMonth, downloads: Sequence[Download]) -> str:
    """Return the page of the downloads of the newest month; without any it says so."""
    addresses = {one.name: (frame.address or "ADDRESS/") + one.address for one in downloads}
    queried = ("changes.parquet", f"{month.controls[0]}.parquet")
    package = month.folder / DATA_PACKAGE
    resources = json.loads(package.read_bytes())["resources"] if DATA_PACKAGE in addresses else []
    return frame.page(
        "data.html",
        file=DATA_PAGE,
        for_pairing=[one for begin in _FOR_PAIRING for one in downloads if one.name.startswith(begin)],
        files_head=frame.head("file", "bytes#"),
        files=[[(one.name, one.address), frame.whole(one.bytes)] for one in downloads],
        query=_QUERY.format(*map(addresses.get, queried)) if addresses.keys() >= set(queried) else "",
        columns_head=frame.head("data_column", "data_type@", "data_meaning^"),
        tables=[
            (
                one["name"],
                one["title"],
                [[field["name"], field["type"], field["description"]] for field in one["schema"]["fields"]],
            )
            for one in resources
            if one["format"] == "parquet"
        ],
    )


def script() -> str:
    """Return the script of the site: its parts, in the order of their names, in one function."""
    parts = [path.read_text(encoding="utf-8") for path in sorted((html_pages.folder() / "script").glob("*.js"))]
    return "\n".join(['"use strict";\n\n(() => {', *parts, "})();", ""])


def parts(frame: Frame, more: Mapping[str, str]) -> dict[str, str]:
    """Return what pages load, by file name: the script, its texts and ``more`` of them, the style, the icon."""
    words = {**frame.texts.script, **more, **frame.texts.format.words}
    of_script = {"version": frame.version, "script": words, "reasons": frame.texts.reasons}
    return {
        f"{frame.parts}/texts.js": f"window.RL_TEXTS = {as_json(of_script)};\n",
        f"{frame.parts}/site.js": script(),
        f"{frame.parts}/site.css": style(frame.colour),
        "icon.svg": icon(frame),
    }


def icon(frame: Frame) -> str:
    """Return the picture that a browser shows next to the title of a page."""
    # The first of this name is that of light pages.
    brand = style().partition("--brand: ")[2].partition(";")[0]
    return html_pages.render("icon.svg", colour=frame.colour or brand)


def program_digest() -> str:
    """Return a digest of the program's own files that make a site: another program writes all files again.

    The standings of the events are among what a site shows.
    """
    own = [*Path(__file__).parent.glob("*.py"), Path(standings.__file__), *html_pages.folder().rglob("*")]
    digests = sorted((path.name, hashlib.sha256(path.read_bytes()).hexdigest()) for path in own if path.is_file())
    return hashlib.sha256(json.dumps(digests).encode()).hexdigest()
