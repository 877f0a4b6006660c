"""The plan of a club's Swiss tournament: the number of rounds, and draw numbers by strength."""

from __future__ import annotations

from collections.abc import Sequence

_ROUNDS = {
    9: ((3, 5), ()),
    10: ((4, 5, 6), ()),
    11: ((5,), ()),
    12: ((5, 6, 7), ()),
    13: ((5, 7), ()),
    14: ((5, 6, 7), (8,)),
    15: ((5, 7), ()),
    16: ((7, 8), (6, 9)),
    17: ((7, 9), ()),
    18: ((8, 9), (7, 10)),
    19: ((7, 9), ()),
    20: ((8, 9, 10), (7, 11)),
    21: ((7, 9), (11,)),
    22: ((9, 10, 11), (8, 12)),
    23: ((9, 11), ()),
    24: ((9, 10, 11, 12), (8, 13)),
    25: ((9, 11), (13,)),
    26: ((10, 11, 12, 13), (9, 14)),
    27: ((9, 11), (13,)),
    28: ((10, 11, 12, 13, 14), (9, 15)),
    29: ((11, 13), (15,)),
    30: ((11, 12, 13, 14, 15), (10, 16)),
    31: ((11, 13, 15), ()),
    32: ((11, 12, 13, 14, 15, 16), (10, 17)),
}


def most_rounds(players: int) -> int:
    """Return the largest number of rounds that so many players should play."""
    return players // 2 + 1


def recommended_rounds(players: int) -> tuple[Sequence[int], Sequence[int]]:
    """Return the numbers of rounds recommended for so many players, and those that are possible too.

    Both are empty where there are fewer than 9 players or more than 32: there is no recommendation.
    """
    return _ROUNDS.get(players, ((), ()))


def draw_numbers(players: int) -> list[int]:
    """Return the draw numbers of the players, the strongest first.

    The stronger half, rounded down, gets 2, 4, 6, ...; the others get 1, 3, 5, ... in order.
    """
    stronger = players // 2
    return [*range(2, 2 * stronger + 1, 2), *range(1, players + 1, 2)]


def first_round(players: int) -> list[tuple[int, int]]:
    """Return the pairs of the first round as draw numbers, White's first; an odd field has a fictitious player more.

    Odd numbers have White. The fictitious player has the number ``players`` + 1.
    """
    return [(white, white + 1) for white in range(1, players + 1, 2)]
