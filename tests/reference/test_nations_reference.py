"""The systems of nations against their second calculations: some lists in sequence, every player and every event."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

import polars as pl
import pytest

from tests.months import Event, Month, Office, Player
from tests.reference.dwz_rater import PlainOffice, Rated
from tests.reference.system_rater import PlainEvent, PlainGame

RESULTS = [(2, 0), (0, 2), (1, 1), (2, 0), (0, 2), (0, 0), (1, 0)]
HALVES = "0½1"


class World:
    """An office with random players and the events that they play, some reported late."""

    def __init__(
        self, family: str, first: str, random: Random, years: tuple[int, ...], ratings: tuple[int, ...]
    ) -> None:
        self.random = random
        names = [f"P{number}" for number in range(random.choice([4, 9, 16]))]
        middle, spread = random.choice(ratings), random.choice([60, 250, 600])
        share = random.choice([0.3, 0.7, 1.0])
        self.players = {
            name: Player(
                name,
                random.randint(max(middle - spread, 100), middle + spread) if random.random() < share else None,
                games=random.choice([0, 1, 2, 3, 5, 8, 11, 40]),
                born=random.choice(years),
            )
            for name in names
        }
        listed = [one for one in self.players.values() if one.rating is not None] or [Player(names[0], middle, games=9)]
        self.players |= {one.name: one for one in listed}
        self.office = Office(*listed, family=family, on=first)
        self.office.register(*self.players.values())
        self.last = date.fromisoformat(f"{first}-01")

    def play(self, month: str) -> None:
        """Receive the events of a period."""
        random = self.random
        for number in range(random.choice([0, 1, 2, 5])):
            start = self.last + timedelta(days=random.choice([0, 1, 5]))
            end = start + timedelta(days=random.choice([0, 3, 6, 7, 12]))
            names = random.sample(list(self.players), random.randint(2, len(self.players)))
            lines = []
            for round_no in range(1, random.choice([1, 3, 6, 9]) + 1):
                order = random.sample(names, len(names))
                games = []
                for white, black in zip(order[::2], order[1::2], strict=False):
                    own, other = random.choice(RESULTS)
                    games.append(f"{white} {HALVES[own]}-{HALVES[other]} {black}")
                lines.append(f"{round_no}. {', '.join(games)}")
            received = end + timedelta(days=random.choice([0, 1, 1, 40]))
            days = {"start": str(start), "end": str(end), "received": str(received)}
            self.office.receive(Event(f"E{month}{number}", "\n".join(lines), **days, minutes=self.minutes()))
        self.last = date.fromisoformat(f"{month}-01")

    def minutes(self) -> int | None:
        """The thinking time of the next event."""
        return None

    def events_of(self, rated: Month) -> list[PlainEvent]:
        """The events that the program rated, in order; a game that counts elsewhere is left out."""
        codes = set(rated.result.events.filter(status="rated")["event_id"])
        elsewhere = {
            (row["event_id"], row["round"], row["fide_id"])
            for row in rated.result.games.filter(reason="same_game").to_dicts()
        }
        number = self.office.number
        found = [
            PlainEvent(
                event.code,
                date.fromisoformat(event.start),
                date.fromisoformat(event.end),
                tuple(
                    PlainGame(round_no, number(white), number(black), own, other)
                    for round_no, white, black, own, other in event.played()
                    if (event.code, round_no, number(white)) not in elsewhere
                ),
            )
            for event in self.office.events
            if event.code in codes
        ]
        return sorted(found, key=lambda one: (one.end, one.start, one.code))


class DwzWorld(World):
    """A world of the German rating, on both sides of the change of rules."""

    MONTHS = ("2026-06", "2026-07", "2026-08", "2026-10", "2028-07")

    def __init__(self, random: Random) -> None:
        from ratinglist_nations.dwz.month import SYSTEM

        self.system = SYSTEM
        years = (1950, 1980, 2000, 2001, 2003, 2005, 2006, 2010, 2016)
        super().__init__("dwz", self.MONTHS[0], random, years, (900, 1250, 1600, 2050))
        number = self.office.number
        self.plain = PlainOffice(
            {number(one.name): Rated(one.rating, one.games or 0) for one in self.players.values() if one.rating},
            {number(one.name): one.born for one in self.players.values() if isinstance(one.born, int)},
        )

    def rate(self, month: str) -> list[str]:
        if self.random.random() < 0.3:
            fide = {name: self.random.randint(1400, 2000) for name in self.players if self.random.random() < 0.3}
            self.office.refer(month, **fide)
            if fide:
                self.plain.reference[month] = {self.office.number(name): one for name, one in fide.items()}
        rated = self.office.rate(month, Random(self.random.randrange(100)))
        events = self.events_of(rated)
        changed = {event.code: self.plain.rate(event) for event in events}
        differences = []
        state = rated.result.own_state
        index = dict(state.filter(event_id="").select("fide_id", "index").iter_rows())
        listed = dict(rated.result.list_state.select("fide_id", "rating").iter_rows())
        found = {player: (rating, index.get(player)) for player, rating in listed.items()}
        new = {player: (one.rating, one.index) for player, one in self.plain.rated.items()}
        differences += [
            f"{month} player {player}: program {found.get(player)}, reference {new.get(player)}"
            for player in sorted({*found, *new})
            if found.get(player) != new.get(player)
        ]
        rows = state.filter(pl.col("event_id") != "").select(
            "fide_id", "event_id", "round", "opponent_rating", "score_halves", "end_date"
        )
        stored = {
            (player, one.code, one.round, one.opponent, int(2 * one.points), one.end)
            for player, kept in self.plain.stored.items()
            for one in kept
        }
        differences += [f"{month} stored {one}" for one in stored ^ set(rows.iter_rows())]
        games = rated.result.games.filter(pl.col("rating_after").is_not_null())
        by_event = {
            (row["event_id"], row["fide_id"]): (row["rating"] or 0, row["rating_after"], row["performance"])
            for row in games.to_dicts()
        }
        due = {(code, player): one for code, players in changed.items() for player, one in players.items()}
        differences += [f"{month} event {one}" for one in by_event.items() ^ due.items()]
        return differences


def agree(seed: int) -> int:
    """Compare a world, and return the number of ratings."""
    world, ratings = DwzWorld(Random(seed)), 0
    for month in world.MONTHS[1:]:
        world.play(month)
        assert world.rate(month) == [], f"seed {seed}"
        ratings += len(world.plain.rated)
    return ratings


@pytest.mark.parametrize("seed", range(4))
def test_dwz_agrees_with_the_second_calculation(seed):
    assert agree(seed)
