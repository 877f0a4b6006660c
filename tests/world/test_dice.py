from __future__ import annotations

from ratinglist_world.people import Dice


def test_a_seed_determines_the_numbers_for_ever():
    dice = Dice("a seed")
    assert [dice.roll(1000) for _ in range(6)] == [397, 503, 37, 708, 765, 309]


def test_all_draws_are_equally_likely():
    dice = Dice("order")
    assert {tuple(dice.draw("abc", 2)) for _ in range(200)} == {(a, b) for a in "abc" for b in "abc" if a != b}
