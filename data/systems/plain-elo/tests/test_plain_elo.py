"""The system keeps the promises of every rating system, and gives the ratings of a second calculation."""

from __future__ import annotations

from datetime import date

from second_calculation import new_list

from ratinglist_world.testing import PlainGame, PlainPlayer, broken_promises, unlike_second_calculation


def test_every_promise_is_kept() -> None:
    assert broken_promises("plain-elo") == []


def test_the_lists_are_those_of_the_second_calculation() -> None:
    assert unlike_second_calculation("plain-elo", new_list) == []


def test_an_example_by_hand() -> None:
    # 1600 beats 1400: K 20 × (1 − .760) = 4.8, so 1604.8 and 1395.2.
    before = {1: PlainPlayer(rating=1600, games=30), 2: PlainPlayer(rating=1400, games=30)}
    game = ("an event", date(2026, 1, 9), 1)
    games = [PlainGame(*game, 1, 2, True, 2, ""), PlainGame(*game, 2, 1, False, 0, "")]
    assert new_list(before, games) == {1: 1605, 2: 1395}
