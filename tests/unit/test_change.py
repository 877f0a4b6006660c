"""The change: in hundredths per game, summed, rounded once."""

import polars as pl
import pytest

from ratinglist.rating.change import sum_changes
from ratinglist.rating.rules import ChangeRules

PER_PERIOD = ChangeRules(rounded_per="period", halves="away_from_zero")
PER_EVENT = ChangeRules(rounded_per="event", halves="away_from_zero")


WHOLE = dict.fromkeys(("games", "k", "change_hundredths"), pl.Int32())
SUMS = {"fide_id": pl.Int64(), "event_id": pl.UInt32(), **WHOLE}
EACH_WAY = [PER_PERIOD, PER_EVENT]


@pytest.mark.parametrize(
    ("rules", "sums", "changes"),
    [
        # Halves of both signs go away from zero, event by event.
        (PER_EVENT, [(7, 1, 1, 20, 250), (7, 2, 1, 20, -150)], [(7, 2, 20, 1)]),
        (PER_EVENT, [(7, 1, 2, 20, 0), (7, 2, 1, 20, 0)], [(7, 3, 20, 0)]),
        # Each player has a sum of their own.
        (PER_PERIOD, [(7, 1, 1, 20, 1000), (8, 1, 1, 40, -2000)], [(7, 1, 20, 10), (8, 1, 40, -20)]),
        # K is shown where one was applied.
        *((rules, [(7, event, 1, 20, 100) for event in (1, 2, 3)], [(7, 3, 20, 3)]) for rules in EACH_WAY),
        *((rules, [(7, 1, 1, 20, 100), (7, 2, 1, 40, 100)], [(7, 2, None, 2)]) for rules in EACH_WAY),
        *((rules, [(7, 2, 1, 40, 100), (7, 1, 1, 20, 100)], [(7, 2, None, 2)]) for rules in EACH_WAY),
    ],
)
def test_the_changes_of_a_player_are_summed_and_rounded_once(rules, sums, changes):
    summed = sum_changes(pl.DataFrame(sums, SUMS, orient="row"), rules)
    assert summed.sort("fide_id").select("fide_id", "games", "k", "change").rows() == changes
