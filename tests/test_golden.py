"""Cases a rating officer can read and check by hand: the files in ``golden``.

A file says which rules, which month, who stood on which list, what was received, and what has to come out: the tables
under ``expected``, with the columns their heading names. Scores are in points, expected scores and exact changes in
points with two places, a dash stands for nothing. How games are written: :class:`tests.months.Event`. Opponents who go
by their rating are scenery: their own rows are left out of the expected tables.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.months import Event, Month, Office, Player, Row

FILES = sorted((Path(__file__).parent / "golden").glob("*.toml"))

Show = Callable[[Any], str]


def plain(value: Any) -> str:
    return "-" if value is None or value == "" else str(value)


def points(halves: int | None) -> str:
    if halves is None:
        return "-"
    return (str(halves // 2) if halves != 1 else "") + "½" * (halves % 2)


def hundredths(value: int | None) -> str:
    return "-" if value is None else f"{value // 100}.{value % 100:02d}"


def signed_hundredths(value: int | None) -> str:
    return "-" if value is None else f"{'-' if value < 0 else '+'}{hundredths(abs(value))}"


def signed(value: int | None) -> str:
    return "-" if value is None else f"{value:+d}"


COLUMNS: dict[str, dict[str, tuple[str, Show]]] = {
    "events": {
        "event": ("event_id", plain),
        "version": ("version", plain),
        "status": ("status", plain),
        "reason": ("reason", plain),
    },
    "games": {
        "event": ("event_id", plain),
        "round": ("round", plain),
        "name": ("name", plain),
        "opponent": ("opponent", plain),
        "score": ("score_halves", points),
        "own": ("rating", plain),
        "other": ("opponent_rating", plain),
        "used": ("difference_used", plain),
        "expected": ("expected_hundredths", hundredths),
        "k": ("k", plain),
        "change": ("change_hundredths", signed_hundredths),
        "reason": ("reason", plain),
    },
    "changes": {
        "name": ("name", plain),
        "old": ("old_rating", plain),
        "games": ("games", plain),
        "k": ("k", plain),
        "exact": ("change_hundredths", signed_hundredths),
        "change": ("change", signed),
        "new": ("new_rating", plain),
        "status": ("status", plain),
    },
    "entries": {
        "name": ("name", plain),
        "games": ("games", plain),
        "points": ("score_halves", points),
        "average": ("opponent_average", plain),
        "p": ("p_hundredths", hundredths),
        "dp": ("dp", signed),
        "rating": ("computed_rating", plain),
        "reason": ("reason", plain),
    },
    "pool": {
        "name": ("name", plain),
        "event": ("event_id", plain),
        "games": ("games", plain),
        "points": ("score_halves", points),
        "sum": ("opponent_rating_sum", plain),
        "counted": ("counted_month", plain),
        "lapses": ("expires_month", plain),
    },
    "list": {
        "name": ("name", plain),
        "rating": ("rating", plain),
        "games": ("games", plain),
        "k": ("k", plain),
        "flag": ("flag", plain),
    },
}
"""The tables a file may expect, and what their headings stand for."""


def table(text: str) -> tuple[list[str], list[list[str]]]:
    """Heading and rows of a table written with blanks between the cells."""
    heading, *rows = [line.split() for line in text.strip().splitlines()]
    assert all(len(row) == len(heading) for row in rows), f"a row is longer or shorter than its heading: {text}"
    return heading, rows


def players(text: str) -> list[Player]:
    """Players of a table with ``name`` and perhaps ``rating``, ``games``, ``born``, ``sex`` and ``last_played``."""
    heading, rows = table(text)
    found = []
    for row in rows:
        given = {key: cell for key, cell in zip(heading, row, strict=True) if cell != "-"}
        born = given.pop("born", None)
        found.append(
            Player(
                given.pop("name"),
                int(given.pop("rating")) if "rating" in given else None,
                games=int(given.pop("games")) if "games" in given else None,
                born=int(born) if born and born.isdigit() else born,
                woman=given.pop("sex", "m") == "w",
                last_played=given.pop("last_played", None),
            )
        )
        assert not given, f"unknown columns: {list(given)}"
    return found


def event(said: dict[str, Any]) -> Event:
    """A report as a file gives it: ``dates`` is one day or two, everything else as in :class:`Event`."""
    start, _, end = said.pop("dates").partition(" to ")
    return Event(start=start, end=end or start, **said)


def shown(name: str, month: Month, heading: list[str]) -> list[list[str]]:
    """The rows of a computed table as a file writes them, those of introduced players."""
    names = {number: player for player, number in month.numbers.items()}
    tables = {"list": month.published()} if name == "list" else {}
    rows: list[Row] = tables.get(name, getattr(month.result, name, None)).to_dicts()
    for row in rows:
        row |= {"name": names[row["fide_id"]]} if "fide_id" in row else {}
        row |= {"opponent": names[row["opponent_id"]]} if "opponent_id" in row else {}
    introduced = [row for row in rows if not row["name"][0].isdigit()]
    return [[show(row[column]) for column, show in (COLUMNS[name][key] for key in heading)] for row in introduced]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_month_comes_out_as_the_file_says(path):
    said = tomllib.loads(path.read_text(encoding="utf-8"))
    assert said.keys() <= {"says", "family", "month", "lists", "registered", "waiting", "event", "expected"}
    assert {"events", "changes", "list"} <= said["expected"].keys() <= COLUMNS.keys()

    first, *later = sorted(said["lists"])
    office = Office(*players(said["lists"][first]), family=said["family"], on=first)
    for list_month in later:
        office.add_list(list_month, *players(said["lists"][list_month]))
    office.register(*players(said.get("registered", "name")))
    for waiting in said.get("waiting", []):
        office.wait(
            waiting["name"], waiting["event"], waiting["points"], waiting["against"], counted=waiting["counted"]
        )
    office.receive(*[event(one) for one in said["event"]])

    month = office.rate(said["month"])
    for name, text in said["expected"].items():
        heading, rows = table(text)
        assert [heading, *shown(name, month, heading)] == [heading, *rows], f"{name} of {path.name}"
