"""The rating of US Chess against its second calculation: some lists in sequence, every player and every event."""

from __future__ import annotations

from datetime import date
from random import Random

import polars as pl
import pytest

from tests.reference.test_nations_reference import World
from tests.reference.uschess_rater import AmericanOffice, Rated


class AmericanWorld(World):
    """A world on both sides of the change of the bonus, with matches, dual events and FIDE lists."""

    MONTHS = ("2024-12", "2025-01", "2025-02", "2025-04", "2026-01")
    YEARS = (1950, 1980, 1999, "2000-11-30", "2006-02-28", 2010, "2014-07-09", 2018, "2022-12-20", 2023, None)

    def __init__(self, random: Random) -> None:
        from ratinglist_nations.uschess.month import SYSTEM

        self.system = SYSTEM
        super().__init__("uschess", self.MONTHS[0], random, self.YEARS, (400, 1250, 1700, 2100, 2500))
        number = self.office.number
        rated = {}
        for one in self.players.values():
            if one.rating:
                games = one.games or 0
                rated[number(one.name)] = Rated(one.rating * 10**6, games, peak=one.rating if games > 25 else None)
        born = {
            number(one.name): date(one.born, 7, 1) if isinstance(one.born, int) else date.fromisoformat(one.born)
            for one in self.players.values()
            if one.born
        }
        self.plain = AmericanOffice(rated, born)
        self.plain.publish()

    def minutes(self) -> int | None:
        return self.random.choice([None, 29, 30, 65, 66, 120])

    def rate(self, month: str) -> tuple[int, list[str]]:
        """Rate a list both ways; return the number of ratings that were compared, and what differs."""
        if self.random.random() < 0.5:
            fide = {name: self.random.randint(1400, 2500) for name in self.players if self.random.random() < 0.3}
            self.office.refer(month, **fide)
            if fide:
                self.plain.reference[month] = {self.office.number(name): one for name, one in fide.items()}
        rated = self.office.rate(month, Random(self.random.randrange(100)))
        self.plain.minutes = {event.code: event.minutes for event in self.office.events}
        due = {
            (event.code, player): (shown(self.plain.rated[player]),)
            for event in self.events_of(rated)
            for player in self.plain.rate(event)
        }
        games = rated.result.games.filter(pl.col("reason") == "")
        found = {
            (row["event_id"], row["fide_id"]): (row["rating_after_hundredths"],)
            for row in games.select("event_id", "fide_id", "rating_after_hundredths").to_dicts()
        }
        differences = [f"{month} event {one}" for one in found.items() ^ due.items()]
        facts = ("rating", "credited", "wins", "draws", "losses", "long_events", "highest")
        state = {row[0]: row[1:] for row in rated.result.own_state.select("fide_id", *facts).iter_rows()}
        new = {
            player: (one.rating, one.games, one.wins, one.draws, one.losses, one.long_events, one.peak)
            for player, one in self.plain.rated.items()
        }
        differences += [
            f"{month} player {player}: program {state.get(player)}, reference {new.get(player)}"
            for player in sorted({*state, *new})
            if state.get(player) != new.get(player)
        ]
        listed = dict(rated.result.list_state.select("fide_id", "rating").iter_rows())
        differences += [f"{month} list: {one}" for one in listed.items() ^ self.plain.publish().items()]
        return len(due) + len(listed), differences


def shown(player: Rated) -> int:
    """The rating as it is published: in hundredths, or in whole points where it may be the rating of an age."""
    in_whole = player.games <= 25 or player.games in (player.wins, player.losses)
    return 100 * player.listed if in_whole else player.rating // 10_000


def agree(seed: int) -> int:
    """Compare a world, and return the number of ratings: those after events, and those of the lists."""
    world = AmericanWorld(Random(seed))
    ratings = 0
    for month in world.MONTHS[1:]:
        world.play(month)
        compared, differences = world.rate(month)
        assert differences == [], f"seed {seed}\n" + "\n".join(differences[:5])
        ratings += compared
    return ratings


@pytest.mark.parametrize("seed", range(3))
def test_the_program_and_the_second_calculation_agree(seed: int) -> None:
    assert agree(seed)


def test_a_fault_of_the_second_calculation_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.reference.uschess_rater.most_games", lambda rating: 40.0)
    with pytest.raises(AssertionError, match=r"seed 1\n.* event"):
        agree(1)
