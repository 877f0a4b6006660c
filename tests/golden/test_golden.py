"""Cases that a rating officer can read and check by hand: the TOML files of this folder.

A case has the rules, the month, the lists, the reports received, and the tables expected, with the columns of their
headings. Scores are in points, expected scores and exact changes in points with two places; a dash is a null or an
empty text. How games are written: :class:`tests.months.Event`; ``17×½ 1900`` are seventeen such games,
``16×2025-10-10`` sixteen such days. Opponents named by their rating are left out of the expected tables. An expected
table is complete. Cases of one family with the same months are rated together, each with players and codes of its own:
the number of the case stands before them.

A heading that no table below names is a column by its own name. ``list_state``, ``system_state`` and ``own_state`` are
what a list keeps for the next one. ``[references]`` has lists that the family looks at.

A file holds one case, or several under ``[[case]]``. Keys above the first ``[[case]]`` are the defaults of all cases,
and keys of ``every_event`` those of all events. ``family`` and ``time_control`` (by default standard) may be lists: the
case holds for each value. Lists, events, waiting results and expected tables belong to the time control of the case;
``[lists.standard]`` and ``[expected.standard]`` belong to another one. Under ``[expected.2024-03]``,
``[expected.2024-04]`` lists follow each other: each is computed from the result of the one before. ``working`` states
the rule and shows the arithmetic.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from ratinglist.store import rule_files
from tests.months import Event, Month, Office, Player, Row

FILES = sorted(Path(__file__).parent.glob("*.toml"))

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
"""The tables a file may expect: the column and the format of each heading."""


OF_THE_CASE = {"working", "family", "time_control", "month", "lists", "registered", "waiting", "every_event", "event"}
OF_THE_CASE |= {"references", "expected"}
TIME_CONTROLS = ("standard", "rapid", "blitz")
MONTH = re.compile(r"\d{4}-\d{2}")
NAME = re.compile(r"\b(?:[A-Z]\w*|\d{3,}[a-z]?)")
"""A player in the games of an event."""


@dataclass(frozen=True)
class Case:
    """One case under one family of rules and for one time control."""

    file: str
    name: str
    content: dict[str, Any]
    family: str
    time_control: str
    number: int

    @property
    def id(self) -> str:
        """Return the file, then what distinguishes this case from the others in it."""
        parts = [self.file, self.name]
        parts += [self.family] if isinstance(self.content["family"], list) else []
        parts += [self.time_control] if isinstance(self.content.get("time_control"), list) else []
        return ": ".join(filter(None, parts))

    @property
    def rated_with(self) -> tuple[object, ...]:
        """Return what the cases that are rated together have in common."""
        return (self.family, *((month, time_control) for month, time_control, _ in self.lists()), *self.expected())

    def own(self, name: str) -> str:
        """Return a name or a code as that of this case alone."""
        return f"{self.number}/{name}"

    def players(self, text: str) -> list[Player]:
        """Return the players of a table, under names of this case."""
        return [replace(player, name=self.own(player.name)) for player in players(text)]

    def events(self) -> list[Event]:
        """Return the reports received, with codes and players of this case."""
        common = {"time_control": self.time_control} | self.content.get("every_event", {})
        return [event(common | report, self) for report in self.content.get("event", [])]

    def lists(self) -> list[tuple[str, str, str]]:
        """Return month, time control and text of every list: oldest month first, the case's time control first."""
        return sorted(
            by_time_control(self.content["lists"], self.time_control),
            key=lambda listed: (listed[0], listed[1] != self.time_control, listed[1]),
        )

    def expected(self) -> dict[str, list[tuple[str, str, str]]]:
        """Return, by month in order, name, time control and text of every table expected."""
        tables = self.content["expected"]
        by_month = tables if all(MONTH.fullmatch(key) for key in tables) else {self.content["month"]: tables}
        return {month: by_time_control(of_month, self.time_control) for month, of_month in sorted(by_month.items())}


def by_time_control(values: dict[str, Any], own: str) -> list[tuple[str, str, str]]:
    """Return key, time control and text of the values for the case's ``own`` time control and for those named."""
    assert {key for key, tables in values.items() if isinstance(tables, dict)} <= set(TIME_CONTROLS), list(values)
    own_values = [(key, own, text) for key, text in values.items() if isinstance(text, str)]
    return own_values + [
        (key, time_control, text)
        for time_control in TIME_CONTROLS
        for key, text in (values[time_control].items() if isinstance(values.get(time_control), dict) else [])
    ]


def one_or_more(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def cases_of(path: Path) -> Iterator[tuple[str, str, dict[str, Any], str, str]]:
    """Return file, name, content, family and time control of the cases of a file."""
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    for of_case in content.pop("case", [{}]):
        own_keys = {"working": ""} | of_case if of_case else {}
        case_content = {key: value for key, value in (content | own_keys).items() if key != "name"}
        case_content["every_event"] = content.get("every_event", {}) | of_case.get("every_event", {})
        for family in one_or_more(case_content["family"]):
            for time_control in one_or_more(case_content.get("time_control", "standard")):
                yield path.stem, of_case.get("name", ""), case_content, family, time_control


CASES = [Case(*case, number) for number, case in enumerate(case for path in FILES for case in cases_of(path))]
TOGETHER: dict[tuple[object, ...], list[Case]] = defaultdict(list)
"""The cases that are rated together."""
for case in CASES:
    TOGETHER[case.rated_with].append(case)


def table(text: str) -> tuple[list[str], list[list[str]]]:
    """Return heading and rows of a table written with blanks between the cells."""
    heading, *rows = [line.split() for line in text.strip().splitlines()]
    assert all(len(row) == len(heading) for row in rows), f"a row is longer or shorter than its heading: {text}"
    return heading, rows


def players(text: str) -> list[Player]:
    """Return the players of a table with ``name``, perhaps any of the facts of :class:`tests.months.Player`.

    ``reached`` is 2300 or 2400 for a player who once had that rating on a list.
    """
    heading, rows = table(text)
    listed = []
    for row in rows:
        cells = {key: cell for key, cell in zip(heading, row, strict=True) if cell != "-"}
        born = cells.pop("born", None)
        reached = int(cells.pop("reached", 0))
        listed.append(
            Player(
                cells.pop("name"),
                int(cells.pop("rating")) if "rating" in cells else None,
                games=int(cells.pop("games")) if "games" in cells else None,
                born=int(born) if born and born.isdigit() else born,
                woman=cells.pop("sex", "m") == "w",
                ever_2400=reached >= 2400,
                ever_2300=reached >= 2300,
                last_played=cells.pop("last_played", None),
                title=cells.pop("title", ""),
            )
        )
        assert not cells, f"unknown columns: {list(cells)}"
    return listed


def written_out(text: str) -> str:
    """``2×½ 1900`` as ``½ 1900, ½ 1900``."""
    return re.sub(r"(\d+)×([^,;\n]+)", lambda repeat: ", ".join([repeat[2]] * int(repeat[1])), text)


def event(facts: dict[str, Any], case: Case) -> Event:
    """A report as a file gives it, with code and players of the case.

    ``dates`` is one day or two, ``games`` may be written shorter, everything else is as in :class:`Event`.
    """
    facts = dict(facts)
    start, _, end = facts.pop("dates").partition(" to ")
    days = [day for text in facts.pop("days", []) for day in written_out(text).split(", ")]
    facts["code"] = case.own(facts["code"])
    facts["games"] = NAME.sub(lambda name: case.own(name[0]), written_out(facts["games"]))
    facts["absent"] = tuple(map(case.own, facts.get("absent", ())))
    return Event(start=start, end=end or start, days=tuple(days), **facts)


def shown(case: Case, name: str, month: Month, heading: list[str]) -> list[list[str]]:
    """Return the rows of a computed table as a file writes them, without opponents named by their rating."""
    names = {number: player for player, number in month.numbers.items()}
    computed = month.published() if name == "list" else getattr(month.result, name)
    rows: list[Row] = [row for row in computed.to_dicts() if row.get("time_control") in (month.time_control, None)]
    for row in rows:
        row |= {"name": names[row["fide_id"]]} if "fide_id" in row else {}
        row |= {"opponent": names[row["opponent_id"]]} if "opponent_id" in row else {}
    mark = case.own("")
    introduced = [
        row for row in rows if row["name"].startswith(mark) and not row["name"].removeprefix(mark)[0].isdigit()
    ]
    of_table = COLUMNS.get(name, {})
    columns = [of_table.get(key, (key, plain)) for key in heading]
    return [[show(row[column]).removeprefix(mark) for column, show in columns] for row in introduced]


def rated(rated_with: tuple[object, ...]) -> dict[str, Month]:
    """Return the lists of the cases that are rated together, by month."""
    together = TOGETHER[rated_with]
    office = Office(family=together[0].family, on=together[0].lists()[0][0])
    office.months.clear()  # the first list need not be a standard one
    for lists in zip(*(case.lists() for case in together), strict=True):
        month, time_control, _ = lists[0]
        listed = [case.players(text) for case, (_, _, text) in zip(together, lists, strict=True)]
        office.add_list(month, *chain.from_iterable(listed), time_control=time_control)
    for case in together:
        receive(office, case)
    return {month: office.rate(month) for month in together[0].expected()}


def receive(office: Office, case: Case) -> None:
    """Let an office register the players of a case and receive its reports."""
    content = case.content
    office.register(*case.players(content.get("registered", "name")))
    for waiting in content.get("waiting", []):
        office.wait(
            case.own(waiting["name"]),
            case.own(waiting["event"]),
            waiting["points"],
            waiting["against"],
            counted=waiting["counted"],
            time_control=case.time_control,
        )
    for month, text in content.get("references", {}).items():
        office.refer(month, **{player.name: player.rating or 0 for player in case.players(text)})
    office.receive(*case.events())


@pytest.fixture(scope="module")
def rated_once() -> Callable[[tuple[object, ...]], dict[str, Month]]:
    """What :func:`rated` returns, calculated once; a fixture, which each trial of a mutant sets up anew."""
    return cache(rated)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_lists_are_those_the_case_expects(case, rated_once):
    months = rated_once(case.rated_with)
    for list_month, tables in case.expected().items():
        for name, time_control, text in tables:
            heading, rows = table(text)
            published = shown(case, name, months[list_month].of(time_control), heading)
            where = f"{name} of {time_control}, {list_month}; {case.id}: {case.content['working']}"
            assert [heading, *published] == [heading, *rows], where


def test_every_case_has_known_keys_a_working_expectations_and_a_name_of_its_own():
    wrong = [
        case.id
        for case in CASES
        if set(case.content) - OF_THE_CASE or not case.content["working"].strip() or not all(case.expected().values())
    ]
    assert wrong == []
    assert [name for name, often in Counter(case.id for case in CASES).items() if often > 1] == []


def test_every_rule_set_is_used_by_some_case():
    book = rule_files.rule_book()
    used = set()
    for case in CASES:
        days = [date.fromisoformat(f"{month}-01") for month in case.expected()]
        days += [date.fromisoformat(report.start) for report in case.events()]
        used |= {rule_set.name for day in days if (rule_set := book.on(case.family, case.time_control, day))}
    # The texts of uschess differ in the bonus: tests/unit/systems/test_uschess.py.
    assert used >= {rule_set.name for rule_set in book.rule_sets if rule_set.system != "uschess"}
