"""The other systems against the second rater: three lists in sequence, every player."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from datetime import date, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings, strategies as st

from tests.docs.session import ROOT
from tests.months import Event, Month, Office, Player
from tests.reference.system_rater import MINIMA, RATERS, Listed, PlainEvent, PlainGame, PlainMonth

LISTS = {
    "fsi-1998": ("2025-01", "2025-07", "2026-01", "2026-07"),
    "ffe": ("2025-01", "2025-05", "2025-09", "2026-01"),
}
MONTHLY = ("2025-09", "2025-10", "2025-11", "2026-01")
TITLES = ("", "", "", "", "FM", "IM", "GM", "CM")
RESULTS = [(2, 0), (0, 2), (1, 1), (2, 0), (0, 2), (0, 0), (1, 0)]
HALVES = "0½1"


class World:
    """An office with random players, events and reference lists, and the same for the second rater."""

    def __init__(self, family: str, random: Random) -> None:
        self.family, self.random = family, random
        self.months = LISTS.get(family, MONTHLY)
        names = [f"P{number}" for number in range(random.choice([4, 8, 14]))]
        middle = random.choice([1450, 1550, 1650, 2150, 2350])
        spread = random.choice([40, 150, 450])
        self.listed = [name for name in names if random.random() < random.choice([0.2, 0.7])] or names[:1]
        players = {
            name: Player(
                name,
                random.randint(middle - spread, middle + spread) if name in self.listed else None,
                games=random.choice([0, 3, 15, 19, 20, 25, 29, 30, 80]) if name in self.listed else 0,
                title=random.choice(TITLES),
            )
            for name in names
        }
        self.players = players
        self.office = Office(*[players[name] for name in self.listed], family=family, on=self.months[0])
        self.office.register(*[one for one in players.values() if one.rating is None])
        first = {
            self.office.number(name): Listed(
                players[name].rating or 0,
                players[name].games or 0,
                highest=players[name].rating or 0,
                titles=frozenset({players[name].title} & set(MINIMA)),
            )
            for name in self.listed
        }
        self.plain = PlainMonth(self.months[0], self.months[0], {self.months[0]: first}, [])

    def play(self, month: str) -> None:
        """Receive the events of a period, some of them reported late, and import a reference list."""
        random = self.random
        period_start = date.fromisoformat(f"{self.plain.before_month}-01")
        for number in range(random.choice([0, 1, 2, 6])):
            start = period_start + timedelta(days=random.choice([0, 1, 4, 9]))
            end = start + timedelta(days=random.choice([0, 3, 8]))
            names = random.sample(list(self.players), random.randint(2, len(self.players)))
            lines = []
            for round_no in range(1, random.choice([1, 3, 5, 9]) + 1):
                order = random.sample(names, len(names))
                games = []
                for white, black in zip(order[::2], order[1::2], strict=False):
                    own, other = random.choice(RESULTS)
                    games.append(f"{white} {HALVES[own]}-{HALVES[other]} {black}")
                lines.append(f"{round_no}. {', '.join(games)}")
            dated = random.random() < 0.5
            self.office.receive(
                Event(
                    f"E{month}{number}",
                    "\n".join(lines),
                    start=str(start),
                    end=str(end),
                    received=str(end + timedelta(days=random.choice([0, 1, 1, 40]))),
                    days=tuple(str(start + timedelta(days=day)) for day in range(9)) if dated else (),
                )
            )
        if random.random() < 0.3:
            name = random.choice(list(self.players))
            self.players[name] = replace(self.players[name], title=random.choice(TITLES))
            self.office.register(self.players[name])
        if self.family == "fsi" and random.random() < 0.6:
            # A list of nobody is no list: one listed player never has a FIDE rating, and so never leaves it.
            rated = {
                name: random.randint(1400, 2000)
                for name in self.players
                if random.random() < 0.2 and name != self.listed[0]
            }
            self.office.refer(month, **rated)
            if rated:
                self.plain.reference[month] = {self.office.number(name): rating for name, rating in rated.items()}

    def rate(self, month: str) -> list[str]:
        """Calculate a list by both, and return the differences."""
        rated = self.office.rate(month, Random(self.random.randrange(100)))
        self.plain.month = month
        self.plain.titles = {self.office.number(name): one.title for name, one in self.players.items()}
        self.plain.events = self._events(rated)
        new = RATERS[self.family](self.plain)
        state = {row["fide_id"]: row for row in rated.result.system_state.to_dicts()}
        found = {
            row["fide_id"]: _listed(row, state.get(row["fide_id"], {})) for row in rated.result.list_state.to_dicts()
        }
        if self.family == "club":
            # A title on the first imported list was seen there: the state of the lists does not repeat it.
            imported = {player: {row["first_title"]} & set(MINIMA) for player, row in self.office.imported.items()}
            found = {
                player: replace(one, titles=one.titles | imported.get(player, set())) for player, one in found.items()
            }
        differences = [
            f"{month} player {player}: program {found.get(player)}, reference {new.get(player)}"
            for player in sorted({*found, *new})
            if found.get(player) != new.get(player)
        ]
        differences += _inconsistent(rated, self.plain.before, new)
        self.plain.lists[month] = new
        self.plain.before_month = month
        return differences

    def _events(self, rated: Month) -> list[PlainEvent]:
        """The events that the program rated; a game that counts elsewhere is left out."""
        codes = set(rated.result.events.filter(status="rated")["event_id"])
        elsewhere = {
            (row["event_id"], row["round"], row["fide_id"])
            for row in rated.result.games.filter(reason="same_game").to_dicts()
        }
        number = self.office.number
        return [
            PlainEvent(
                event.code,
                date.fromisoformat(event.start),
                date.fromisoformat(event.end),
                tuple(
                    PlainGame(
                        round_no,
                        number(white),
                        number(black),
                        own,
                        other,
                        date.fromisoformat(event.days[round_no - 1]) if event.days else None,
                    )
                    for round_no, white, black, own, other in event.played()
                    if (event.code, round_no, number(white)) not in elsewhere
                ),
            )
            for event in self.office.events
            if event.code in codes
        ]


def _listed(row: dict[str, Any], state: dict[str, Any]) -> Listed:
    titles = frozenset(filter(None, (state.get("titles_seen") or "").split(",")))
    return Listed(
        row["rating"],
        row["games_played"],
        category=state.get("category") or "",
        titles=titles,
        hundredths=state.get("rating_hundredths"),
        deviation=state.get("deviation_hundredths"),
    )


def _inconsistent(rated: Month, before: dict[int, Listed], new: dict[int, Listed]) -> list[str]:
    """What the changes say against the lists: each moved, new or lapsed player has a row, and it adds up."""
    wrong = []
    changes = {row["fide_id"]: row for row in rated.result.changes.to_dicts()}
    for player in sorted({*before, *new}):
        old, now, row = before.get(player), new.get(player), changes.get(player)
        if row is None:
            if (old and old.rating) != (now and now.rating):
                wrong.append(f"player {player} has no change")
            continue
        status = "lapsed" if now is None else "entered" if old is None else "rated"
        expected = (old and old.rating, now and now.rating, status)
        if (row["old_rating"], row["new_rating"], row["status"]) != expected:
            wrong.append(f"player {player}: change {row}, expected {expected}")
        if status == "rated" and now and old and row["change"] != now.rating - old.rating:
            wrong.append(f"player {player}: change {row['change']}")
    return wrong


def agree(family: str, random: Random) -> int:
    """Compare a world, and return the number of ratings."""
    world, ratings = World(family, random), 0
    for month in world.months[1:]:
        world.play(month)
        differences = world.rate(month)
        assert differences == [], "\n".join(differences)
        ratings += len(world.plain.lists[month])
    return ratings


quick = settings(
    max_examples=4,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)


@pytest.mark.parametrize("family", RATERS)
@quick
@given(st.integers(0, 2**32))
def test_the_program_and_the_second_rater_agree(family: str, seed: int) -> None:
    agree(family, Random(seed))


@pytest.mark.parametrize("family", RATERS)
def test_a_fault_of_the_second_rater_is_found(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = RATERS[family]

    def wrong(month: PlainMonth) -> dict[int, Listed]:
        new = right(month)
        return {player: replace(one, rating=one.rating + 1) for player, one in new.items()}

    monkeypatch.setattr(sys.modules[__name__], "RATERS", {family: wrong})
    with pytest.raises(AssertionError, match="reference"):
        agree(family, Random(1))


@pytest.mark.long
@pytest.mark.parametrize("threads", ["1", "2"])
def test_the_number_of_threads_does_not_matter(threads: str) -> None:
    script = "from tests.reference.test_system_reference import hashes; print(hashes())"
    environment = os.environ | {"POLARS_MAX_THREADS": threads, "PYTHONPATH": os.pathsep.join(["src", "."])}
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.stdout.strip() == hashes()


def hashes() -> str:
    """A digest of some lists of every family."""
    found = hashlib.sha256()
    for family in RATERS:
        for seed in range(3):
            world = World(family, Random(seed))
            for month in world.months[1:]:
                world.play(month)
                world.plain.before_month = month
                result = world.office.rate(month).result
                tables = (result.games, result.changes, result.pool, result.list_state, result.system_state)
                for table in tables:
                    found.update(table.write_csv().encode())
    return found.hexdigest()
