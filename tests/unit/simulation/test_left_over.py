"""Trying out one event: as many pairs as there can be, found by looking at every possibility."""

from __future__ import annotations

from functools import cache
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from ratinglist.simulation.fallback_matching import paired_anew


def most_pairs(players: int, allowed: set[tuple[int, int]]) -> int:
    @cache
    def most(free: frozenset[int]) -> int:
        if not free:
            return 0
        one, rest = min(free), free - {min(free)}
        return max([most(rest), *(1 + most(rest - {other}) for other in rest if (one, other) in allowed)])

    return most(frozenset(range(players)))


@st.composite
def acquaintances(draw: st.DrawFn) -> tuple[int, set[tuple[int, int]], list[list[int]]]:
    players = draw(st.integers(0, 8))
    every = list(combinations(range(players), 2))
    allowed = set(draw(st.lists(st.sampled_from(every), unique=True))) if every else set()
    opponents = [
        draw(st.permutations([other for other in range(players) if (min(one, other), max(one, other)) in allowed]))
        for one in range(players)
    ]
    return players, allowed, opponents


@settings(max_examples=150, deadline=None)
@given(acquaintances())
def test_as_many_are_paired_as_can_be(field):
    players, allowed, opponents = field
    pairs = paired_anew(opponents)
    assert set(pairs) <= allowed
    assert len({one for pair in pairs for one in pair}) == 2 * len(pairs)
    assert len(pairs) == most_pairs(players, allowed)


def test_the_nearest_opponents_are_taken_where_everybody_finds_one():
    assert paired_anew([[1, 2, 3], [0, 2, 3], [3, 1, 0], [2, 1, 0]]) == [(0, 1), (2, 3)]


def test_a_chain_gives_everybody_an_opponent():
    # 0 takes 1 at first; 3 can only meet 1, so 0 has to take 2.
    assert paired_anew([[1, 2], [0, 3], [0], [1]]) == [(0, 2), (1, 3)]


def test_a_ring_of_five_with_two_at_its_sides_leaves_one_out():
    ring = [[1, 4], [0, 2], [1, 3, 5], [2, 4], [3, 0, 6], [2], [4]]
    assert len(paired_anew(ring)) == 3
