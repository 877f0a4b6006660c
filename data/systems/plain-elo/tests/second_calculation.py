"""The system once more, in plain Python: one player and one game after the other.

Write it from the text of the regulations and not from the month's step, and let nothing here come from the package or
from its rule file: an error that both have shows in no test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from ratinglist_world.testing import PlainGame, PlainPlayer

K = 20
NEWCOMER = 1500


def expected_thousandths(difference: int) -> int:
    """Return the expected score by the logistic curve, in thousandths, a half upwards."""
    if difference < 0:
        return 1000 - expected_thousandths(-difference)
    return int(Decimal(1000) / (1 + Decimal(10) ** (Decimal(-difference) / 400)) + Decimal("0.5"))


def new_list(before: Mapping[int, PlainPlayer], games: Sequence[PlainGame]) -> dict[int, int]:
    """Return the rating of every player on the new list."""
    old = {player: listed.rating for player, listed in before.items()}
    thousandths: dict[int, int] = {}
    for game in games:
        if game.reason:
            continue
        difference = old.get(game.player, NEWCOMER) - old.get(game.opponent, NEWCOMER)
        change = K * (500 * game.score_halves - expected_thousandths(difference))
        thousandths[game.player] = thousandths.get(game.player, 0) + change
    # A half is rounded upwards.
    return old | {
        player: (1000 * old.get(player, NEWCOMER) + change + 500) // 1000 for player, change in thousandths.items()
    }
