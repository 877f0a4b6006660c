"""The English rating written a second time: one month of play, one pass and one player after the other, with fractions.

Nothing here comes from the program or from its rule files.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from tests.reference.formulas import half_up
from tests.reference.regulations import TABLES
from tests.reference.system_rater import PlainEvent, table

UNCUT = 10_000


def _dp() -> list[int]:
    lines = (TABLES / "performance.csv").read_text().split()[1:]
    return [int(line.split(",")[1]) for line in lines]


DP = _dp()


@dataclass
class English:
    """A player: ``rating`` is None off the list. ``stored``: opponent's rating and half points of a partial player.

    ``played``: the number of rated games by month of play. ``last``: the last month, as a number.
    """

    rating: int | None = None
    full: bool = False
    stored: list[tuple[int, int]] = field(default_factory=list)
    played: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    last: int | None = None
    last_full: int | None = None
    born: int | None = None

    @property
    def category(self) -> str:
        return "K" if self.full else "P"


def number(year: int, month: int) -> int:
    return 12 * year + month - 1


def performance(games: list[tuple[int, int]], nominal: int) -> int:
    """The mean of the opponents and the fictional one, and dp of the share with half a point more."""
    count = len(games) + 1
    halves = sum(score for _, score in games) + 1
    p = half_up(Fraction(100 * halves, 2 * count))
    return half_up(Fraction(sum(rating for rating, _ in games) + nominal, count) + DP[p])


@dataclass
class EnglishOffice:
    """All players who were ever rated, by number."""

    players: dict[int, English]

    def age(self, player: int, year: int) -> int | None:
        born = self.players[player].born
        return None if born is None else year - born

    def nominal(self, player: int, year: int) -> int:
        age = self.age(player, year)
        own = 1800 if age is None or age >= 18 else 100 * max(age, 0)
        return max(own, self.players[player].last_full or 0)

    def rate(self, month: str, events: Iterable[PlainEvent]) -> None:
        """Rate the events accepted for the list of a month."""
        year, this = int(month[:4]), number(int(month[:4]), int(month[5:]))
        months: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for event in events:
            for game in event.games:
                day = game.day or event.end
                of_month = months[number(day.year, day.month)]
                of_month.append((game.white, game.black, game.white_halves))
                of_month.append((game.black, game.white, game.black_halves))
        played = {side[0] for sides in months.values() for side in sides}
        for month_number in sorted(months):
            self._month(month_number, year, months[month_number])
        for number_of, player in self.players.items():
            if player.rating is not None and (player.last or 0) < this - 36 and number_of not in played:
                player.rating, player.full, player.stored = None, False, []

    def _month(self, month: int, year: int, sides: list[tuple[int, int, int]]) -> None:
        players = self.players
        before = {player: (players[player].rating, players[player].full) for player in {side[0] for side in sides}}
        others = [player for player, (_, full) in before.items() if not full]

        def games(player: int, values: dict[int, int]) -> list[tuple[int, int]]:
            own = [(opponent, halves) for fide_id, opponent, halves in sides if fide_id == player]
            results = [
                (before[opponent][0] if before[opponent][1] else values.get(opponent), halves)
                for opponent, halves in own
            ]
            return [(rating, halves) for rating, halves in results if rating is not None]

        ratings = {player: before[player][0] for player in others if before[player][0] is not None}
        first = {
            player: performance(players[player].stored + games(player, ratings), self.nominal(player, year))  # type: ignore[arg-type] # none is None
            for player in others
        }
        pooled = {player: players[player].stored + games(player, first) for player in others}
        second = {player: performance(pooled[player], self.nominal(player, year)) for player in others}
        changes: dict[int, Fraction] = defaultdict(Fraction)
        for player, opponent, halves in sides:
            own, full = before[player]
            if not full or own is None:
                continue
            age = self.age(player, year)
            k = 40 if age is not None and age < 18 else 20
            if opponent in second and len(pooled[opponent]) < 10:
                k //= 2
            against = second[opponent] if opponent in second else before[opponent][0]
            assert against is not None
            changes[player] += k * (Fraction(halves, 2) - Fraction(table(own - against, UNCUT), 100))
        for player in before:
            standing = players[player]
            if player in second:
                standing.rating, standing.stored = second[player], pooled[player]
                standing.full = len(standing.stored) >= 10
                if standing.full:
                    standing.stored = []
            else:
                assert standing.rating is not None
                standing.rating = half_up(standing.rating + changes[player])
            if standing.full:
                standing.last_full = standing.rating
            standing.played[month] += sum(side[0] == player for side in sides)
            standing.last = max(month, standing.last or 0)

    def listed(self, month: str) -> dict[int, tuple[int, str]]:
        """Rating and category of everybody on the list."""
        this = number(int(month[:4]), int(month[5:]))
        listed = {}
        for number_of, player in self.players.items():
            if player.rating is not None:
                recent = sum(games for month_number, games in player.played.items() if this - 12 <= month_number < this)
                is_active = player.full and recent >= 30
                listed[number_of] = (player.rating, "A" if is_active else player.category)
        return listed
