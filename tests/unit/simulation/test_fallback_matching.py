"""The last resort of the pairing, compared with a search through every set of pairs."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from ratinglist.simulation.rounds import pair_unmet

Pairs = list[tuple[int, int]]


def every_matching(unmet: Pairs) -> list[Pairs]:
    """Every set of ``unmet`` pairs in which no player occurs twice."""
    if not unmet:
        return [[]]
    (one, other), *rest = unmet
    apart = [pair for pair in rest if not {one, other} & {*pair}]
    return [*every_matching(rest), *([(one, other), *matching] for matching in every_matching(apart))]


def quality(matching: Pairs) -> tuple[int, int]:
    """The number of pairs, then the sum of squared distances, negative: the larger the better."""
    return len(matching), -sum((other - one) ** 2 for one, other in matching)


@st.composite
def unmet_pairs(draw: st.DrawFn) -> Pairs:
    every = list(combinations(range(draw(st.integers(2, 7))), 2))
    return draw(st.lists(st.sampled_from(every), unique=True))


@settings(max_examples=150)
@given(unmet_pairs())
def test_the_pairs_are_as_many_and_as_near_as_possible(unmet):
    pairs = pair_unmet(unmet)
    assert sorted(pairs) == pairs
    assert set(pairs) <= set(unmet)
    assert len({one for pair in pairs for one in pair}) == 2 * len(pairs)
    assert quality(pairs) == max(map(quality, every_matching(unmet)))


@settings(max_examples=50)
@given(unmet_pairs(), st.randoms(use_true_random=False))
def test_the_order_of_the_input_does_not_matter(unmet, random):
    shuffled = list(unmet)
    random.shuffle(shuffled)
    assert pair_unmet(shuffled) == pair_unmet(unmet)


def test_neighbours_are_paired_where_all_players_find_an_opponent():
    assert pair_unmet(combinations(range(4), 2)) == [(0, 1), (2, 3)]


def test_a_player_with_one_possible_opponent_gets_that_opponent():
    assert pair_unmet([(0, 1), (0, 2), (1, 3)]) == [(0, 2), (1, 3)]


def test_a_cycle_of_five_with_two_more_players_leaves_one_player_out():
    assert len(pair_unmet([(0, 1), (1, 2), (2, 3), (3, 4), (0, 4), (2, 5), (4, 6)])) == 3


def test_of_equally_good_sets_one_is_always_chosen():
    # Either pair alone is the best: as many, and as near.
    assert pair_unmet([(0, 1), (1, 2)]) == [(1, 2)]


def test_without_unmet_pairs_there_are_none():
    assert pair_unmet([]) == []
