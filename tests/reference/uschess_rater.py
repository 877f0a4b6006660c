"""The rating of US Chess written a second time: one event, one step and one player after the other.

The special formula is calculated with fractions, the standard formula with Python's floats. Nothing here comes from the
package or its rule files: the values are copied by hand from the description.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction

from tests.reference.system_rater import PlainEvent, sides

MULTIPLIERS = [
    (date(2025, 1, 1), 10),
    (date(2023, 2, 1), 12),
    (date(2017, 6, 1), 14),
    (date(2015, 6, 1), 12),
    (date(2014, 3, 20), 10),
]
TINY = Fraction(1, 10**7)
Known = list[tuple[float, int]]
"""Games: the opponent's rating and the half points."""


@dataclass
class Rated:
    """A rated player; ``rating`` in millionths of a point."""

    rating: int
    games: int
    wins: int = 0
    draws: int = 0
    losses: int = 0
    long_events: int = 0
    peak: int | None = None

    @property
    def listed(self) -> int:
        return whole(Fraction(self.rating, 10**6))


@dataclass
class Start:
    """What a player begins an event with."""

    rating: float
    games: int
    history: str
    new: bool


@dataclass
class AmericanOffice:
    """Who is rated, and the days of birth; ``listed``: the list before; ``reference``: FIDE's lists by month."""

    rated: dict[int, Rated]
    born: dict[int, date]
    listed: dict[int, int] = field(default_factory=dict)
    reference: dict[str, dict[int, int]] = field(default_factory=dict)
    minutes: dict[str, int | None] = field(default_factory=dict)

    def publish(self) -> dict[int, int]:
        """Make the list: later matches go by it."""
        self.listed = {player: standing.listed for player, standing in self.rated.items()}
        return self.listed

    def rate(self, event: PlainEvent) -> dict[int, int]:
        """Rate an event, and return the new rating of each player in millionths."""
        games: dict[int, list[tuple[int, int, int]]] = {}
        for _, game, own, other, halves, _ in sides(event):
            games.setdefault(own, []).append((game.round, other, halves))
        for of_player in games.values():
            of_player.sort()
        is_match = len(games) == 2
        if is_match and not self._match_counts(list(games)):
            return {}
        start = {player: self._start(player, event.end) for player in games}

        def against(player: int, ratings: dict[int, float]) -> Known:
            return [(ratings[other], halves) for _, other, halves in games[player]]

        begin = {player: own_start.rating for player, own_start in start.items()}
        third = {
            player: max(100.0, special(Start(own_start.rating, 1, "mixed", new=True), 1.0, against(player, begin)))
            for player, own_start in start.items()
            if own_start.new
        }
        for_fourth = begin | third
        fourth = {player: max(100.0, self._once(event, player, start, games, for_fourth)) for player in games}
        fifth = {player: max(100.0, self._once(event, player, start, games, fourth)) for player in games}
        after = {}
        for player, exact in fifth.items():
            own_start, results = start[player], [halves for _, _, halves in games[player]]
            before = self.rated.get(player, Rated(0, 0))
            now = Rated(
                0,
                own_start.games + len(results),
                before.wins + results.count(2),
                before.draws + results.count(1),
                before.losses + results.count(0),
                before.long_events + (len(results) >= 3),
                before.peak,
            )
            exact = (
                min(max(exact, own_start.rating - 50), own_start.rating + 50) if is_match else max(exact, floor(now))
            )
            # What is closer than this below a half counts as a half.
            now.rating = whole((Fraction(exact) + Fraction(1, 10**11)) * 10**6)
            if now.games > 25:
                now.peak = max(now.peak or 0, now.listed)
            after[player] = now
        self.rated |= after
        return {player: standing.rating for player, standing in after.items()}

    def _match_counts(self, players: list[int]) -> bool:
        own, other = players
        if any(player not in self.rated or self.rated[player].games <= 25 for player in players):
            return False
        if own not in self.listed or other not in self.listed:
            return False
        return abs(self.listed[own] - self.listed[other]) <= 400

    def _start(self, player: int, end: date) -> Start:
        if (own := self.rated.get(player)) is not None:
            history = "mixed"
            if own.games and own.wins == own.games:
                history = "wins"
            elif own.games and own.losses == own.games:
                history = "losses"
            return Start(own.rating / 10**6, own.games, history, new=False)
        months = [month for month in self.reference if month <= f"{end:%Y-%m}"]
        born = self.born.get(player)
        if months and player in self.reference[max(months)]:
            on, fide = date.fromisoformat(max(months) + "-01"), self.reference[max(months)][player]
            x = 20 + 1.02 * fide if fide > 2000 else -1073 + 1.5667 * fide
            p = by_age(born, on)
            z = min(6.0, (x - p) / 350)
            weight = (10 if fide > 2000 else 5) * math.exp(0.06 * (z - 6) * (end - on).days / 365.25)
            return Start(float(math.floor(x + 0.5)), min(10, math.ceil(weight)), "mixed", new=False)
        if born is not None and (end - born).days / 365.25 < 3:
            born = None
        return Start(by_age(born, end), 0, "mixed", new=True)

    def _once(
        self,
        event: PlainEvent,
        player: int,
        start: dict[int, Start],
        games: dict[int, list[tuple[int, int, int]]],
        ratings: dict[int, float],
    ) -> float:
        own_start, met = start[player], [other for _, other, _ in games[player]]
        known = [(ratings[other], halves) for _, other, halves in games[player]]
        effective = min(float(own_start.games), most_games(own_start.rating))
        if own_start.games <= 8 or own_start.history != "mixed":
            return special(own_start, effective, known)
        m, r = len(known), own_start.rating
        k = 800 / (effective + m)
        minutes = self.minutes.get(event.code)
        if minutes is not None and 30 <= minutes <= 65 and r > 2200:
            k = 200 / (effective + m) if r >= 2500 else k * (6.5 - 0.0025 * r)
        change = k * (sum(halves for _, halves in known) / 2 - sum(1 / (1 + 10 ** ((o - r) / 400)) for o, _ in known))
        often = max(met.count(other) for other in met)
        bonus = 0.0
        if (m == 3 and often == 1) or (m > 3 and often <= 2):
            multiplier = next(value for since, value in MULTIPLIERS if event.start >= since)
            bonus = max(0.0, change - multiplier * math.sqrt(max(m, 4)))
        return r + change + bonus


def whole(value: Fraction) -> int:
    """Round a positive number, a half upwards."""
    return math.floor(value + Fraction(1, 2))


def by_age(born: date | None, on: date) -> float:
    if born is None:
        return 1300.0
    years = (on - born).days / 365.25
    if years < 2:
        return 100.0
    return 50 * years if years <= 26 else 1300.0


def most_games(rating: float) -> float:
    return 50.0 if rating > 2355 else 50 / math.sqrt(0.662 + 0.00000739 * (2569 - rating) ** 2)


def floor(player: Rated) -> int:
    lowest = min(150, 100 + 4 * player.wins + 2 * player.draws + player.long_events)
    if player.peak is not None:
        by_peak = (player.peak - 200) // 100 * 100
        if by_peak >= 1200:
            lowest = max(lowest, min(by_peak, 2100))
    return lowest


def winning(rating: Fraction, opponent: Fraction) -> Fraction:
    if rating <= opponent - 400:
        return Fraction(0)
    if rating >= opponent + 400:
        return Fraction(1)
    return Fraction(1, 2) + (rating - opponent) / 800


def special(own_start: Start, effective: float, known: Known) -> float:
    r0, n = Fraction(own_start.rating), Fraction(effective)
    opponents = [Fraction(rating) for rating, _ in known]
    points = Fraction(sum(halves for _, halves in known), 2)
    own = {"wins": r0 - 400, "losses": r0 + 400, "mixed": r0}[own_start.history]
    due = points + {"wins": n, "losses": Fraction(0), "mixed": n / 2}[own_start.history]

    def balance(rating: Fraction) -> Fraction:
        return n * winning(rating, own) + sum((winning(rating, other) for other in opponents), Fraction(0)) - due

    knots = sorted({rating + way for rating in (own, *opponents) for way in (-400, 400)})
    m = own
    while abs(balance(m)) > TINY:
        too_high = balance(m) > 0
        z = max(knot for knot in knots if knot < m) if too_high else min(knot for knot in knots if knot > m)
        if abs(balance(m) - balance(z)) < TINY:
            m = z
        else:
            crossing = m - balance(m) * (m - z) / (balance(m) - balance(z))
            m = max(crossing, z) if too_high else min(crossing, z)
    if all(abs(m - rating) > 400 for rating in (own, *opponents)):
        low, high = max(knot for knot in knots if knot < m), min(knot for knot in knots if knot > m)
        m = min(max(r0, low), high)
    return min(2700.0, float(m))
