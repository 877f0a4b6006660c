"""The German rating written a second time: one event, one player and one game after the other, with fractions.

Nothing here comes from the package or its rule files: the values are copied by hand from the description.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction

from tests.reference.system_rater import PlainEvent, sides

NEW_FROM = date(2026, 6, 8)
UNDER_26 = (60, 60, 48, 46, 44, 42, 40, 38, 36, 34, 32)
ADULT = (60, 60, 44, 42, 40, 38, 36, 34, 32, 30, 28)
OTHERS = (60, 60, 41, 39, 37, 35, 33, 31, 29, 27, 25)


def away(value: Fraction) -> int:
    size = math.floor(abs(value) + Fraction(1, 2))
    return size if value >= 0 else -size


def expected(difference: int) -> Fraction:
    if difference < 0:
        return 1 - expected(-difference)
    share = (1 + math.erf(min(difference, 1729) / 400)) / 2
    return Fraction(math.floor(share * 10**9 + 0.5), 10**9)


@dataclass
class Rated:
    """A rated player."""

    rating: int
    index: int


@dataclass
class Stored:
    """A game that an unrated player keeps."""

    code: str
    round: int
    opponent: int
    points: Fraction
    end: date

    def counts(self, on: date) -> bool:
        # Two years after the 29th of February is the 28th.
        leap = (self.end.month, self.end.day) == (2, 29)
        return on <= self.end.replace(year=self.end.year + 2, day=28 if leap else self.end.day)


@dataclass
class PlainOffice:
    """Who is rated, what is stored, and the years of birth; ``reference``: FIDE's lists by month."""

    rated: dict[int, Rated]
    born: dict[int, int]
    reference: dict[str, dict[int, int]] = field(default_factory=dict)
    stored: dict[int, list[Stored]] = field(default_factory=dict)

    def fide(self, player: int, on: date) -> int | None:
        months = [month for month in self.reference if month <= f"{on:%Y-%m}"]
        return self.reference[max(months)].get(player) if months else None

    def rate(self, event: PlainEvent) -> dict[int, tuple[int, int, int | None]]:
        """Rate one event; return old rating (0: none), new rating and performance of each player whom it rates."""
        games: dict[int, list[tuple[int, Fraction, int]]] = {}
        for _, game, own, other, halves, _ in sides(event):
            games.setdefault(own, []).append((other, Fraction(halves, 2), game.round))
        start: dict[int, Rated] = {}
        for_e: dict[int, int] = {}
        for player in games:
            if player in self.rated:
                start[player] = self.rated[player]
                for_e[player] = self.rated[player].index
            elif (fide := self.fide(player, event.end)) is not None:
                start[player], for_e[player] = Rated(fide, 6), 1
        new = event.end >= NEW_FROM
        first_pass, first = self._first_ratings(event, games, start, new)
        after: dict[int, Rated] = {player: Rated(rating, 1) for player, rating in first.items()}
        for player, before in start.items():
            known = [
                (start[other].rating if other in start else first[other], points)
                for other, points, _ in games[player]
                if other in start or other in first
            ]
            if known:
                rating = self._new(player, before, for_e[player], known, event.end)
                after[player] = Rated(rating, before.index + 1)
        for player in games:
            if player in start or player in first:
                continue
            self.stored.setdefault(player, []).extend(
                Stored(event.code, number, start[other].rating if other in start else first[other], points, event.end)
                for other, points, number in games[player]
                if other in start or other in first_pass
            )
        old = {player: start[player].rating if player in start else 0 for player in after}
        for player, now in after.items():
            self.rated[player] = now
            self.stored.pop(player, None)
        performed = {
            player: performance(
                [
                    (start[other].rating if other in start else first[other], points)
                    for other, points, _ in games[player]
                    if other in start or other in first
                ],
                new,
            )
            for player in after
        }
        return {player: (old[player], now.rating, performed[player]) for player, now in after.items()}

    def _first_ratings(
        self,
        event: PlainEvent,
        games: dict[int, list[tuple[int, Fraction, int]]],
        start: dict[int, Rated],
        new: bool,
    ) -> tuple[set[int], dict[int, int]]:
        unrated = [player for player in games if player not in start]
        fixed = {
            player: [(start[other].rating, points) for other, points, _ in games[player] if other in start]
            + [(game.opponent, game.points) for game in self.stored.get(player, []) if game.counts(event.end)]
            for player in unrated
        }
        first_pass = {player for player in unrated if enough(fixed[player])}
        value = {player: root(fixed[player]) for player in first_pass}
        to_two = {
            player: fixed[player]
            + [(value[other], points) for other, points, _ in games[player] if other in first_pass]
            for player in unrated
            if player not in first_pass
        }
        two = {player for player, known in to_two.items() if enough(known)}
        value |= {player: root(to_two[player]) for player in two}
        for _ in range(100):
            following = {
                player: root(
                    fixed[player] + [(value[other], points) for other, points, _ in games[player] if other in value]
                )
                for player in value
            }
            settled, value = following == value, following
            if settled:
                break
        return first_pass, {player: published(rating, new) for player, rating in value.items()}

    def _new(self, player: int, before: Rated, for_e: int, known: list[tuple[int, Fraction]], end: date) -> int:
        year = self.born.get(player)
        age = 99 if year is None else end.year - year
        rating, n = before.rating, len(known)
        surplus = sum((points for _, points in known), Fraction(0)) - sum(
            (expected(rating - other) for other, _ in known), Fraction(0)
        )
        if end >= NEW_FROM:
            row = UNDER_26 if age <= 25 and rating < 2200 else ADULT if age >= 26 and rating < 2000 else OTHERS
            k = Fraction(row[min(max(before.index, 1), 11) - 1])
            if surplus < 0 and rating < 1600:
                k *= Fraction(rating + 800, 2400)
            if surplus >= 0 and age <= 20 and rating < 2000:
                k += Fraction(2000 - rating, 30)
            if surplus >= 0 and age > 20 and rating < 1600:
                k += 4
            k = min(Fraction(away(10 * k), 10), Fraction(80))
            return max(away(rating + k * surplus), 1100)
        e0 = Fraction(rating, 1000) ** 4 + (5 if age <= 20 else 10 if age <= 25 else 15)
        brake = math.exp((1300 - rating) / 150) - 1 if rating < 1300 and surplus < 0 else 0.0
        share = min(max(Fraction(rating, 2000), Fraction(1, 2)), Fraction(1)) if age <= 20 and surplus >= 0 else 1
        e = away(e0 * share) if not brake else math.floor(float(e0) + brake + 0.5)
        e = max(e, 5)
        index = max(for_e, 1)
        e = min(e, 150) if brake else min(e, 5 * index if index <= 5 else 30)
        return away(rating + 800 * surplus / (e + n))


def enough(known: list[tuple[int, Fraction]]) -> bool:
    points = sum((score for _, score in known), Fraction(0))
    return len(known) >= 5 and 0 < points < len(known)


def root(known: list[tuple[int, Fraction]]) -> int:
    """The smallest whole rating that the points are expected of."""
    points = sum((score for _, score in known), Fraction(0))
    low, high = min(other for other, _ in known) - 1729, max(other for other, _ in known) + 1729
    while low < high:
        middle = (low + high) // 2
        if sum((expected(middle - other) for other, _ in known), Fraction(0)) >= points:
            high = middle
        else:
            low = middle + 1
    return low


def performance(known: list[tuple[int, Fraction]], new: bool) -> int | None:
    n, points = len(known), sum((score for _, score in known), Fraction(0))
    if n < 5:
        return None
    mean = away(Fraction(sum(other for other, _ in known), n))
    if 0 < points < n:
        return root(known)
    if new:
        return root([*known, (mean, Fraction(1, 2))]) if points else None
    return mean + 677 if points else mean - 677


def published(rating: int, new: bool) -> int:
    exact = Fraction(rating)
    if not new:
        return away(700 + exact / 8) if rating < 800 else rating
    if rating >= 2000:
        return rating
    if rating >= 1100:
        return away(exact + Fraction(8, 100) * (2000 - exact))
    return max(1100, away(1100 + Fraction(72, 100) * exact / 11))
