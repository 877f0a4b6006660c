from __future__ import annotations

from ratinglist_world.dice import Dice


def test_a_seed_determines_the_numbers_for_ever():
    dice = Dice("a seed")
    assert [dice.roll(1000) for _ in range(6)] == [397, 503, 37, 708, 765, 309]


def test_a_draw_takes_every_value_once():
    values = list(range(50))
    assert sorted(Dice("draw").draw(values, 50)) == values
    assert len(set(Dice("draw").draw(values, 20))) == 20
    assert values == list(range(50))
