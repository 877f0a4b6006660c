"""The English rating against its second calculation: lists in sequence, every player, and what the check says."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

import pytest

from tests.months import Event, Month, Office, Player
from tests.reference.ecf_rater import English, EnglishOffice, number
from tests.reference.system_rater import PlainEvent, PlainGame

MONTHS = ("2023-01", "2023-02", "2023-03", "2023-05", "2024-02", "2026-02", "2026-04", "2027-05")
RESULTS = [(2, 0), (0, 2), (1, 1), (2, 0), (0, 2), (0, 0), (1, 0)]
HALVES = "0½1"


class World:
    """An office with random players, and the same for the second calculation."""

    def __init__(self, random: Random) -> None:
        self.random = random
        names = [f"P{one}" for one in range(random.choice([5, 9, 14]))]
        middle, spread = random.choice([1400, 1700, 2100]), random.choice([60, 250, 600])
        share = random.choice([0.2, 0.6, 1.0])
        self.players = {
            name: Player(
                name,
                random.randint(middle - spread, middle + spread) if random.random() < share else None,
                born=random.choice([None, 1960, 1990, 2004, 2005, 2006, 2009, 2014]),
                last_played=random.choice([None, "2020-03", "2022-06"]),
            )
            for name in names
        }
        # A list of nobody is no list: this player plays too, and never leaves it.
        self.players["Stays"] = Player("Stays", 1600, last_played=MONTHS[0])
        listed = [one for one in self.players.values() if one.rating is not None]
        self.office = Office(*listed, family="ecf", on=MONTHS[0])
        self.office.register(*self.players.values())
        self.last = date.fromisoformat(f"{MONTHS[0]}-01")
        self.plain = EnglishOffice({self.office.number(one.name): self._english(one) for one in self.players.values()})

    def _english(self, player: Player) -> English:
        born = player.born if isinstance(player.born, int) else None
        if player.rating is None:
            return English(born=born)
        year, month = (player.last_played or MONTHS[0]).split("-")
        last = number(int(year), int(month)) - 1
        return English(player.rating, full=True, last=last, last_full=player.rating, born=born)

    def play(self, month: str) -> None:
        random = self.random
        for count in range(random.choice([1, 1, 2, 4])):
            start = self.last + timedelta(days=random.choice([0, 1, 5, 20]))
            end = start + timedelta(days=random.choice([0, 3, 7, 14]))
            names = random.sample(list(self.players), random.randint(2, len(self.players)))
            if count == 0:
                names = list(dict.fromkeys([*names, "Stays"]))
            lines = []
            for round_no in range(1, random.choice([1, 3, 7, 11]) + 1):
                order = random.sample(names, len(names))
                games = []
                for white, black in zip(order[::2], order[1::2], strict=False):
                    own, other = random.choice(RESULTS)
                    games.append(f"{white} {HALVES[own]}-{HALVES[other]} {black}")
                lines.append(f"{round_no}. {', '.join(games)}")
            days = [start + timedelta(days=random.randint(0, (end - start).days)) for _ in range(11)]
            self.office.receive(
                Event(
                    f"E{month}{count}",
                    "\n".join(lines),
                    start=str(start),
                    end=str(end),
                    received=str(end + timedelta(days=random.choice([0, 1, 1, 40]) if count else 0)),
                    days=tuple(str(day) for day in sorted(days)) if random.random() < 0.6 else (),
                )
            )
        self.last = date.fromisoformat(f"{month}-01")

    def rate(self, month: str) -> list[str]:
        rated = self.office.rate(month, Random(self.random.randrange(100)))
        self.plain.rate(month, self._events(rated))
        state = {row["fide_id"]: row["rating_category"] for row in rated.result.system_state.to_dicts()}
        found = {row["fide_id"]: (row["rating"], state[row["fide_id"]]) for row in rated.result.list_state.to_dicts()}
        due = self.plain.listed(month)
        return [
            f"{month} player {player}: program {found.get(player)}, reference {due.get(player)}"
            for player in sorted({*found, *due})
            if found.get(player) != due.get(player)
        ]

    def _events(self, rated: Month) -> list[PlainEvent]:
        codes = set(rated.result.events.filter(status="rated")["event_id"])
        elsewhere = {
            (row["event_id"], row["round"], row["fide_id"])
            for row in rated.result.games.filter(reason="same_game").to_dicts()
        }
        who = self.office.number
        return [
            PlainEvent(
                event.code,
                date.fromisoformat(event.start),
                date.fromisoformat(event.end),
                tuple(
                    PlainGame(
                        round_no,
                        who(white),
                        who(black),
                        own,
                        other,
                        date.fromisoformat(event.days[round_no - 1]) if event.days else None,
                    )
                    for round_no, white, black, own, other in event.played()
                    if (event.code, round_no, who(white)) not in elsewhere
                ),
            )
            for event in self.office.events
            if event.code in codes
        ]


def agree(seed: int) -> int:
    """Compare a world, and return the number of ratings."""
    world = World(Random(seed))
    ratings = 0
    for month in MONTHS[1:]:
        world.play(month)
        differences = world.rate(month)
        assert differences == [], f"seed {seed}\n" + "\n".join(differences[:5])
        ratings += len(world.plain.listed(month))
    return ratings


@pytest.mark.parametrize("seed", range(3))
def test_the_program_and_the_second_calculation_agree(seed: int) -> None:
    assert agree(seed)


def test_a_fault_of_the_second_calculation_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = EnglishOffice.nominal
    monkeypatch.setattr(EnglishOffice, "nominal", lambda office, player, year: right(office, player, year) + 40)
    with pytest.raises(AssertionError, match="reference"):
        agree(1)
