"""Choose the players and events that have a page of their own, to be shared and found, and make these pages.

Every player and event has an address behind a ``#`` of one page, which neither search engines nor networks tell apart.
Those chosen have a file as well: the same page with the ID in it, a title, a description and a picture of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from ratinglist.safe_text import on_one_line
from ratinglist.site.frame import Frame, event_file, player_file
from ratinglist.site.home_page import MONTHS_OF_LINE, NewestList
from ratinglist.site.pictures import Figure, Picture, Rating, change_drawn
from ratinglist.site.published_months import PublishedMonth
from ratinglist.site.request import Request

TOP = 100
"""So many active players of each list, and so many women, have a page."""
MOST_PLAYERS, MOST_EVENTS = 1_000, 300
ADULT_FROM = 19
"""Years between the year of birth and that of the list, from which on a player is surely of age."""
_SAFE_CODE = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SPAN = 40
"""Fewest points from the bottom to the top of a line, so that noise does not look like a fall."""


def players_with_page(request: Request, months: Sequence[PublishedMonth]) -> list[int]:
    """Return the FIDE IDs of the players who have a page, sorted.

    They are the first :data:`TOP` active players, and women, of each list of the last twelve ``months``: who leaves the
    top lists keeps the page for a year. Of more than :data:`MOST_PLAYERS` the newest lists count. Who is a minor by the
    newest list, or has no year of birth there, has no page.
    """
    newest = months[-1]
    adults = _adults(request, newest).implode()
    chosen: dict[int, None] = {}
    for month in reversed(months[-MONTHS_OF_LINE:]):
        rows = request.lists(month).select("time_control", "fide_id", "sex", "flag")
        active = rows.filter(~pl.col("flag").fill_null("").str.contains("i", literal=True))
        for one in (active, active.filter(pl.col("sex") == "F")):
            top = one.group_by("time_control", maintain_order=True).head(TOP)
            chosen |= dict.fromkeys(top.filter(pl.col("fide_id").is_in(adults))["fide_id"])
    return sorted([*chosen][:MOST_PLAYERS])


def _adults(request: Request, month: PublishedMonth) -> pl.Series:
    """Return the FIDE IDs of those who are surely of age on the first day of a month."""
    lists = request.lists(month).select("fide_id", "birth_year")
    is_adult = pl.lit(month.period.first_day.year) - pl.col("birth_year") >= ADULT_FROM
    return lists.filter(is_adult)["fide_id"].unique().sort()


def events_with_page(months: Sequence[PublishedMonth]) -> dict[str, pl.DataFrame]:
    """Return the rated events that have a page, ``EVENT`` by month: the largest of the newest lists first.

    An event with a code that is no name of a file everywhere has none.
    """
    chosen: dict[str, pl.DataFrame] = {}
    left = MOST_EVENTS
    for month in reversed(months[-MONTHS_OF_LINE:]):
        events = month.table("events").filter(
            pl.col("status") == "rated", pl.col("event_id").str.contains(f"^{_SAFE_CODE.pattern}$")
        )
        # Some file systems take capital and small letters as the same.
        one_name = events.unique(pl.col("event_id").str.to_lowercase(), keep="first", maintain_order=True)
        chosen[month.name] = one_name.sort("players", "event_id", descending=[True, False]).head(left)
        left -= chosen[month.name].height
    return {name: events for name, events in chosen.items() if events.height}


def events_of_adults(request: Request, month: PublishedMonth, events: pl.DataFrame) -> set[str]:
    """Return the codes of those of the ``events`` of a month in which every player is surely of age."""
    adults = _adults(request, month).implode()
    wanted = pl.col("event_id").is_in(events["event_id"].implode())
    games = month.table("games").filter(wanted)

    def without(rows: pl.DataFrame, ids: Sequence[str]) -> pl.DataFrame:
        others = [rows.filter(~pl.col(one).is_in(adults)).select("event_id") for one in ids]
        return events.join(pl.concat(others), on="event_id", how="anti")

    found = without(games, ("fide_id", "opponent_id"))
    if found.is_empty():
        return set()
    # A cross-table names players with byes and forfeits alone too.
    played = games.join(found.select("event_id"), on="event_id", how="semi")
    others = request.standings(found, played).places.filter(~pl.col("fide_id").is_in(adults))
    return set(found["event_id"]) - set(others["event_id"])


class OwnPages:
    """The pages of a site that are of one player or event. ``indexed``: files that search engines may list."""

    def __init__(self, frame: Frame, request: Request, months: Sequence[PublishedMonth]) -> None:
        """Choose the events; ``frame`` has the chosen players. Where the site has no address there are none."""
        self._frame, self._request = frame, request
        self._months = {month.name: month for month in months}
        self._events = events_with_page(months) if frame.address else {}
        self.indexed: list[str] = []

    def names(self) -> dict[str, Any]:
        """Return the FIDE IDs, and the codes of events by month, that the script links to."""
        events = {month: rows["event_id"].to_list() for month, rows in self._events.items()}
        return {"players": sorted(self._frame.own_players), "events": events}

    def texts(self, persons: pl.DataFrame, lists: Sequence[NewestList]) -> Iterator[tuple[str, str]]:
        """Yield the file name and the text of each page.

        In: ``persons``: ``fide_id``, ``name``, ``title``, ``federation``; ``lists``: the newest.
        """
        self.indexed = [player_file(one) for one in sorted(self._frame.own_players)]
        yield from _player_pages(self._frame, persons, lists)
        for month, events in self._events.items():
            of_adults = events_of_adults(self._request, self._months[month], events)
            self.indexed += [event_file(month, one) for one in sorted(of_adults)]
            yield from _event_pages(self._frame, month, events, of_adults)


def _player_pages(frame: Frame, persons: pl.DataFrame, lists: Sequence[NewestList]) -> Iterator[tuple[str, str]]:
    rows = {one.control: {row["fide_id"]: row for row in one.own.iter_rows(named=True)} for one in lists}
    for row in persons.filter(pl.col("fide_id").is_in(frame.own_players)).sort("fide_id").iter_rows(named=True):
        fide_id, name = row["fide_id"], on_one_line(row["name"] or str(row["fide_id"]))
        own = [(one, rows[one.control][fide_id]) for one in lists if fide_id in rows[one.control]]
        ratings = [_rating(frame, one.control, line, one.year.get(fide_id, ())) for one, line in own]
        named = ", ".join(f"{one.name} {one.rating}" + (f" ({one.change})" if one.change else "") for one in ratings)
        month = frame.month(frame.newest)
        text = frame.text("player_description", name=name, ratings=named, month=month) if named else None
        below = f"{row['federation']} · " if row["federation"] else ""
        yield (
            player_file(fide_id),
            frame.page(
                "script_page.html",
                file=player_file(fide_id),
                page="player",
                heading=name,
                about=("player", fide_id),
                description=text,
                picture=Picture(
                    month, name, row["title"] or "", f"{below}{frame.text('fide_id')} {fide_id}", ratings=ratings
                ),
            ),
        )


def _rating(frame: Frame, control: str, row: Mapping[str, Any], year: Sequence[int | None]) -> Rating:
    change = change_drawn(row["change"], frame.text("new"))
    name = frame.control(control).capitalize()
    return Rating(name, str(row["rating"]), *change, frame.colour_of(control), _points(year))


def _points(ratings: Sequence[int | None]) -> list[tuple[int, int]]:
    """Return the ratings of some months as points in thousandths, from the left and from the top."""
    known = [one for one in ratings if one is not None]
    if len(known) < 2:
        return []
    middle, span = (max(known) + min(known)) // 2, max(max(known) - min(known), _SPAN)
    last = len(ratings) - 1
    return [
        (at * 1000 // last, 500 - (one - middle) * 900 // span) for at, one in enumerate(ratings) if one is not None
    ]


def _event_pages(frame: Frame, month: str, events: pl.DataFrame, of_adults: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the file name and the text of the page of each of the ``events`` of a month (``EVENT``).

    Only those ``of_adults`` may be found by search engines; networks may preview all of them.
    """
    for row in events.iter_rows(named=True):
        code, name = row["event_id"], on_one_line(row["name"] or row["event_id"])
        days = frame.days(row["start_date"], row["end_date"])
        year = str(row["end_date"] or row["start_date"] or "")[:4]
        details = [row["federation"], f"{days} {year}".strip()]
        below = " · ".join(one for one in details if one)
        control = frame.control(row["time_control"]).capitalize() if row["time_control"] else "–"
        yield (
            event_file(month, code),
            frame.page(
                "script_page.html",
                file=event_file(month, code),
                page="event",
                heading=name,
                about=("event", f"{month}/{code}"),
                indexed=code in of_adults,
                description=frame.text(
                    "event_description",
                    name=name,
                    details=f" ({below})" if below else "",
                    players=frame.count("player", row["players"]),
                    month=frame.month(month),
                ),
                picture=Picture(
                    frame.month(month),
                    name,
                    below=below,
                    figures=[
                        Figure(frame.text("players"), frame.language.whole(row["players"])),
                        Figure(frame.text("games"), frame.language.whole(row["games"])),
                        Figure(frame.text("lists"), control),
                    ],
                ),
            ),
        )
