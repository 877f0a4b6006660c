"""What the sum of a player's games says of his K, and in which types."""

import polars as pl
import pytest

from ratinglist.rating.change import sum_changes
from ratinglist.rating.rules import ChangeRules
from ratinglist.schemas import CHANGE

PER_PERIOD = ChangeRules(rounded_per="period", halves="away_from_zero")
PER_EVENT = ChangeRules(rounded_per="event", halves="away_from_zero")


def summed(rules: ChangeRules, *games: tuple[int, int]) -> pl.DataFrame:
    """The sum of one player's ``games``, each the only one of its event: event and K."""
    frame = pl.DataFrame(
        [(7, event, 1, k, 100) for event, k in games],
        schema={
            "fide_id": pl.Int64(),
            "event_no": pl.UInt32(),
            "games": pl.Int32(),
            "k": pl.Int32(),
            "change_hundredths": pl.Int32(),
        },
        orient="row",
    )
    return sum_changes(frame, rules)


@pytest.mark.parametrize("rules", [PER_PERIOD, PER_EVENT], ids=["period", "event"])
@pytest.mark.parametrize("games", [[(1, 20), (2, 40)], [(2, 40), (1, 20)]])
def test_no_k_is_shown_where_two_were_applied_however_it_is_rounded(rules, games):
    assert summed(rules, *games)["k"].to_list() == [None]


@pytest.mark.parametrize("rules", [PER_PERIOD, PER_EVENT], ids=["period", "event"])
def test_the_one_k_is_shown_however_it_is_rounded(rules):
    assert summed(rules, (1, 20), (2, 20), (3, 20))["k"].to_list() == [20]


def test_the_sums_have_the_types_of_the_published_changes():
    schema = summed(PER_EVENT, (1, 20), (2, 40)).schema
    assert dict(schema) == {name: CHANGE.columns[name].dtype for name in schema}
