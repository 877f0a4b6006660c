"""The systems that are not FIDE's, written a second time: one player and one game after the other, with fractions.

Nothing here comes from the program or from its rule files: the values are copied by hand from the descriptions.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal, getcontext
from fractions import Fraction

from tests.reference.formulas import half_away_from_zero, half_up
from tests.reference.regulations import TABLES

getcontext().prec = 50
CATEGORIES = ["", "3N", "2N", "1N", "CM", "M"]
MINIMA = {"GM": 2500, "IM": 2400, "FM": 2300}


@dataclass(frozen=True)
class PlainGame:
    """A game: the half points of each player are by that player's own code."""

    round: int
    white: int
    black: int
    white_halves: int
    black_halves: int
    day: date | None = None


@dataclass(frozen=True)
class PlainEvent:
    code: str
    start: date
    end: date
    games: tuple[PlainGame, ...]


@dataclass
class Listed:
    """A player on a list, with what a system keeps of the player."""

    rating: int
    games_played: int = 0
    highest: int = 0
    category: str = ""
    titles: frozenset[str] = frozenset()
    hundredths: int | None = None
    deviation: int | None = None


@dataclass
class PlainMonth:
    """What a list is calculated from.

    ``lists``: every list so far by month; ``before``: the newest. ``reference``: the reference lists by month.
    ``titles``: of the players now. ``pool``: waiting games (opponent, half points) of unlisted players.
    """

    month: str
    before_month: str
    lists: dict[str, dict[int, Listed]]
    events: list[PlainEvent]
    titles: dict[int, str] = field(default_factory=dict)
    reference: dict[str, dict[int, int]] = field(default_factory=dict)
    pool: dict[int, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))

    @property
    def before(self) -> dict[int, Listed]:
        return self.lists[self.before_month]

    def in_order(self) -> list[PlainEvent]:
        return sorted(self.events, key=lambda event: (event.end, event.start, event.code))

    def at_start(self, event: PlainEvent) -> dict[int, Listed]:
        """The list in force when the event began."""
        months = [month for month in self.lists if month <= f"{event.start:%Y-%m}"]
        return self.lists[max(months)]


Side = tuple[PlainEvent, PlainGame, int, int, int, bool]
"""Event, game, player, opponent, the player's half points, whether the player had White."""


def sides(event: PlainEvent) -> list[Side]:
    all_sides = []
    for game in event.games:
        all_sides.append((event, game, game.white, game.black, game.white_halves, True))
        all_sides.append((event, game, game.black, game.white, game.black_halves, False))
    return all_sides


def _table() -> list[int]:
    lines = (TABLES / "expected_score.csv").read_text().split()[1:]
    scores: list[int] = []
    for line in lines:
        first, to, high, _ = line.split(",")
        scores += [int(high)] * ((int(to) if to else int(first)) - int(first) + 1)
    return scores


TABLE = _table()


def table(difference: int, cap: int) -> int:
    """Hundredths of the regulations' table for a difference cut to ``cap``."""
    cut = max(-cap, min(cap, difference))
    high = TABLE[min(abs(cut), len(TABLE) - 1)]
    return high if cut >= 0 else 100 - high


def thousandths(difference: int) -> int:
    if difference < 0:
        return 1000 - thousandths(-difference)
    return int(Decimal(1000) / (1 + Decimal(10) ** (Decimal(-difference) / 400)) + Decimal("0.5"))


New = dict[int, Listed]


def fsi(month: PlainMonth) -> New:
    """K 30, rounded per event; 1440 at once; ends where a FIDE rating exists."""

    def fide(on: str) -> dict[int, int]:
        known = [list_month for list_month in month.reference if list_month <= on]
        return month.reference[max(known)] if known else {}

    changes: dict[int, int] = defaultdict(int)
    games: dict[int, int] = defaultdict(int)
    for event in month.events:
        there, of_fide = month.at_start(event), fide(f"{event.start:%Y-%m}")

        def used(player: int, there: New = there, of_fide: dict[int, int] = of_fide) -> int:
            if player in of_fide:
                return of_fide[player]
            return there[player].rating if player in there else 1440

        exact: dict[int, int] = defaultdict(int)
        for _, _, own, other, halves, _ in sides(event):
            if own not in of_fide:
                exact[own] += 30 * (50 * halves - table(used(own) - used(other), 400))
                games[own] += 1
        for player, hundredths in exact.items():
            changes[player] += half_away_from_zero(Fraction(hundredths, 100))
    now = fide(month.month)
    new: New = {}
    for player in {*month.before, *games}:
        if player in now:
            continue
        old = month.before.get(player, Listed(1440))
        new[player] = Listed(old.rating + changes[player], old.games_played + games[player])
    return new


def club(month: PlainMonth) -> New:
    """K 45 to 30 games, then by the rating; 1400 or the title's minimum; thousandths, rounded once."""

    def entry(player: int) -> int:
        return MINIMA.get(month.titles.get(player, ""), 1400)

    def used(there: New, player: int) -> int:
        return there[player].rating if player in there else entry(player)

    def k(player: int) -> int:
        old = month.before.get(player)
        if old is None or old.games_played < 30:
            return 45
        if old.rating < 2000:
            return 30
        return 10 if old.rating >= 2400 else half_up(130 - Fraction(old.rating, 20))

    exact: dict[int, int] = defaultdict(int)
    games: dict[int, int] = defaultdict(int)
    for event in month.events:
        there = month.at_start(event)
        for _, _, own, other, halves, _ in sides(event):
            exact[own] += k(own) * (500 * halves - thousandths(used(there, own) - used(there, other)))
            games[own] += 1
    new: New = {}
    for player in {*month.before, *games}:
        old = month.before.get(player, Listed(entry(player)))
        rating = half_up(old.rating + Fraction(exact[player], 1000))
        title = month.titles.get(player, "")
        if title in MINIMA and player in month.before and title not in old.titles:
            rating = max(rating, MINIMA[title])
        seen = old.titles | ({title} if title in MINIMA else set())
        new[player] = Listed(rating, old.games_played + games[player], titles=seen)
    return new


def uscf(month: PlainMonth) -> New:
    """The mean of 20 games, then K 32 or 16."""
    played: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for event in month.in_order():
        for _, _, own, other, halves, _ in sorted(sides(event), key=lambda side: (side[1].round, side[3])):
            if other in month.before:
                played[own].append((month.before[other].rating, halves))
    new = {player: Listed(listed.rating, listed.games_played) for player, listed in month.before.items()}
    for player, games in played.items():
        old = month.before.get(player)
        n = old.games_played if old else 0
        left = 0 if old and n == 0 else max(20 - n, 0)
        first, others = games[:left], games[left:]
        rating = old.rating if old else 0
        if first:
            total = n * rating + sum(opponent + 400 * (halves - 1) for opponent, halves in first)
            rating = half_up(Fraction(total, n + len(first)))
        k = 16 if rating >= 2200 else 32
        change = sum(k * (500 * halves - thousandths(rating - opponent)) for opponent, halves in others)
        new[player] = Listed(half_up(rating + Fraction(change, 1000)), n + len(games))
    return new


def ffe(month: PlainMonth) -> New:
    """The performance against 16 games; entry with 8 compatible games by iterated performances."""
    new = {player: Listed(listed.rating, listed.games_played) for player, listed in month.before.items()}
    compatible: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for event in month.events:
        for _, _, own, other, halves, _ in sides(event):
            if own not in month.before:
                month.pool[own].append((other, halves))
            elif other in month.before and abs(month.before[own].rating - month.before[other].rating) <= 350:
                compatible[own].append((month.before[other].rating, halves))
    for player, games in compatible.items():
        old, n = month.before[player].rating, len(games)
        performance = Fraction(sum(opponent + 400 * (halves - 1) for opponent, halves in games), n)
        if performance < old:
            rating = (16 * old + n * performance) / (16 + n)
        elif n >= 16:
            rating = performance
        else:
            rating = old + Fraction(n, 16) * (performance - old)
        new[player] = Listed(half_up(rating), month.before[player].games_played + n)
    value = dict.fromkeys(sorted(month.pool), 1300)
    settled: set[int] = set()

    def of(player: int, values: dict[int, int]) -> int:
        return month.before[player].rating if player in month.before else values.get(player, 1300)

    for _ in range(25):
        last = dict(value)
        for player, games in month.pool.items():
            if player not in settled:
                total = sum(of(other, last) + 400 * (halves - 1) for other, halves in games)
                value[player] = half_up(Fraction(total, len(games)))
        settled |= {player for player in value if abs(value[player] - last[player]) < 20}
    for player, games in list(month.pool.items()):
        if sum(abs(of(other, value) - value[player]) <= 350 for other, _ in games) >= 8:
            new[player] = Listed(value[player], len(games))
            del month.pool[player]
    return new


def fsi_1998(month: PlainMonth) -> New:
    """Sums rounded to .05, the four-tournament rule, promotion to a category."""

    def category(rating: int) -> str:
        return CATEGORIES[sum(rating >= limit for limit in (1500, 1600, 1700, 1900, 2100))]

    def k(rating: int) -> int:
        return 30 if rating < 2100 else 20 if rating <= 2400 else 10

    def used(player: int) -> int:
        return month.before[player].rating if player in month.before else 1300

    highest = {
        player: max("3N", listed.category, category(max(listed.rating, listed.highest)), key=CATEGORIES.index)
        for player, listed in month.before.items()
    }
    own_now = {player: listed.rating for player, listed in month.before.items()}
    waiting: dict[int, list[int]] = defaultdict(list)
    games: dict[int, int] = defaultdict(int)
    promoted: dict[int, str] = {}
    for event in month.in_order():
        of_player: dict[int, list[Side]] = defaultdict(list)
        for side in sides(event):
            of_player[side[2]].append(side)
        none_listed = not any(player in month.before for player in of_player)
        for player, played in of_player.items():
            n, halves = len(played), sum(side[4] for side in played)
            games[player] += n
            if player in month.before:
                rating = own_now[player]
                e = sum(table(rating - used(side[3]), 350) for side in played)
                waiting[player].append(k(rating) * (50 * halves - 5 * round(Fraction(e, 5))))
                if len(waiting[player]) == 4:
                    own_now[player] = half_up(rating + Fraction(sum(waiting.pop(player)), 100))
            if n < 5:
                continue
            performance = Fraction(sum(used(side[3]) + 400 * (side[4] - 1) for side in played), n)
            reached = ""
            if none_listed:
                reached = "3N" if Fraction(halves, 2 * n) >= Fraction(7, 10) else ""
            elif performance >= 1550:
                reached = "2N"
            elif performance >= 1450:
                reached = "3N"
            if player in month.before and not (highest[player] == "3N" and reached == "2N"):
                continue
            promoted[player] = max(promoted.get(player, ""), reached, key=CATEGORIES.index)
    new: New = {}
    for player, old in month.before.items():
        rating = half_up(own_now[player] + Fraction(sum(waiting[player]), 100))
        if promoted.get(player) == "2N":
            rating = max(rating, 1600)
        kept = max(highest[player], promoted.get(player, ""), category(rating), key=CATEGORIES.index)
        new[player] = Listed(rating, old.games_played + games[player], category=kept)
    for player, reached in promoted.items():
        if player not in month.before and reached:
            new[player] = Listed(1600 if reached == "2N" else 1500, games[player], category=reached)
    return new


def _glicko(month: PlainMonth, white: int, harmonic: bool) -> New:
    q = math.log(10) / 400
    months = _number(month.month) - _number(month.before_month)

    def hundredths(value: float) -> int:
        return math.floor(100 * value + 0.5)

    def known(player: int) -> tuple[float, float]:
        listed = month.before.get(player)
        if listed is None:
            return 1720.0, 350.0**2
        deviation = listed.deviation
        if deviation is None:
            deviation = hundredths(350 / math.sqrt(min(max(listed.games_played, 1), 25)))
        rating = listed.rating if listed.hundredths is None else listed.hundredths / 100
        return rating, min(350.0**2, (deviation / 100) ** 2 + 250 * months)

    played: dict[int, list[tuple[tuple[object, ...], int, float, bool]]] = defaultdict(list)
    for event in month.events:
        for _, game, own, other, halves, is_white in sides(event):
            key = (game.day or event.end, event.end, event.code, game.round, other)
            played[own].append((key, other, halves / 2, is_white))
    new: New = {}
    for player in {*month.before, *played}:
        rating, v = known(player)
        games = sorted(played[player], reverse=True)
        weights = [1 / (place + 1) if harmonic else 1.0 for place in range(len(games))]
        mean = sum(weights) / len(weights) if weights else 1.0
        information = surplus = 0.0
        for weight, (_, other, score, is_white) in zip(weights, games, strict=True):
            theirs, their_v = known(other)
            g = 1 / math.sqrt(1 + 3 * q * q * their_v / math.pi**2)
            d = rating - theirs + (white if is_white else -white)
            expected = 1 / (1 + 10 ** (-g * d / 400))
            information += weight / mean * g * g * expected * (1 - expected)
            surplus += weight / mean * g * (score - expected)
        if games:
            v = 1 / (1 / v + q * q * information)
            rating += v * q * surplus
            v = max(v, 30.0**2)
        old = month.before.get(player, Listed(1720))
        exact = hundredths(rating)
        new[player] = Listed(
            half_up(Fraction(exact, 100)),
            old.games_played + len(games),
            hundredths=exact,
            deviation=hundredths(math.sqrt(v)),
        )
    return new


def glicko(month: PlainMonth) -> New:
    return _glicko(month, 0, harmonic=False)


def wcc(month: PlainMonth) -> New:
    return _glicko(month, 32, harmonic=True)


def _number(month: str) -> int:
    return 12 * int(month[:4]) + int(month[5:])


RATERS: dict[str, Callable[[PlainMonth], New]] = {
    "fsi": fsi,
    "club": club,
    "uscf": uscf,
    "ffe": ffe,
    "fsi-1998": fsi_1998,
    "glicko": glicko,
    "wcc": wcc,
}
