"""Make the first page: search, the highest ratings with the line of a year, movers, first ratings, recent events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import polars as pl

from ratinglist.period import Period
from ratinglist.site.cells import Cell, change_cell, player_cell, sparkline
from ratinglist.site.frame import Frame
from ratinglist.site.month_page import MonthOfControl, Section
from ratinglist.site.pages import control_tabs, place

MONTHS_OF_LINE = 12
_FIRST_RATINGS = 8
_HEAD = ("no#~", "name", "year", "rating#!", "change#")


@dataclass(frozen=True, slots=True)
class NewestList:
    """A list of the newest month: its highest active ratings with ``change``, and its size.

    ``year``: the ratings of these players on the last twelve lists, the oldest first.
    """

    control: str
    top: pl.DataFrame
    count: int
    year: Mapping[int, Sequence[int | None]]


def home_page(
    frame: Frame,
    lists: Sequence[NewestList],
    moved: Sequence[MonthOfControl],
    events: Section,
    games: int,
    *,
    is_changed: bool,
    text: str,
    next_list: tuple[Period, date] | None,
) -> str:
    """Return the first page.

    ``moved``, ``events``: what the page of the newest month shows; ``games``: how many were rated for it.
    ``is_changed``: a correction or a rollback touched it. ``text``: the office's own.
    ``next_list``: its month and the day by which reports for it are due; None where no rules say when it comes.
    """
    players = max((one.count for one in lists), default=0)
    entered = [row for one in moved for row in _entered(one)]
    return frame.page(
        "index.html",
        file="index.html",
        page="index",
        month=frame.newest,
        month_name=frame.month(frame.newest),
        summary=frame.text(
            "in_short",
            players=frame.count("player", players),
            events=f"{events.heading}: {frame.whole(events.count)}",
            games=frame.count("rated_game", games),
        ),
        text=text,
        next_list=_next_list(frame, *next_list) if next_list else "",
        tabs=control_tabs(frame, [one.control for one in lists], "#{}"),
        lists=[
            {
                "control": one.control,
                "name": frame.control(one.control).capitalize(),
                "players": frame.count("player", one.count),
                "file": f"list-{one.control}.html",
                "rows": _rows(frame, one),
            }
            for one in lists
        ],
        head=frame.head(*_HEAD),
        moved=moved,
        events=events,
        entered_head=frame.head("name", "games#", "rating#!"),
        entered_rows=entered[:_FIRST_RATINGS],
        is_changed=is_changed,
    )


def _next_list(frame: Frame, period: Period, closing: date) -> str:
    return frame.text("next_list", day=frame.day(period.first_day), closing=frame.day(closing))


def _rows(frame: Frame, one: NewestList) -> list[list[Cell]]:
    return [
        [
            row["place"],
            player_cell(row),
            sparkline(one.year.get(row["fide_id"], ())),
            row["rating"],
            change_cell(row["change"], row["games"], frame.text("new")),
        ]
        for row in one.top.with_columns(place()).iter_rows(named=True)
    ]


def _entered(one: MonthOfControl) -> list[list[Cell]]:
    """Return the first ratings of a time control: name, games, rating."""
    return [[name, games, rating] for name, _, games, _, rating in one.entered.rows]
