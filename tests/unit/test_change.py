"""The change: in hundredths per game, summed, rounded once."""

import polars as pl
import pytest

from ratinglist.rating.change import sum_changes
from ratinglist.rating.rules import ChangeRules

PER_PERIOD = ChangeRules(rounded_per="period", halves="away_from_zero")
PER_EVENT = ChangeRules(rounded_per="event", halves="away_from_zero")


def change(rules: ChangeRules, *games: tuple[int, int, int], fide_id: int = 7) -> dict[str, int | None]:
    """Return the summed change of one player's ``games``: event, K, change in hundredths."""
    frame = pl.DataFrame(
        [(fide_id, *game) for game in games],
        schema={"fide_id": pl.Int64(), "event_id": pl.UInt32(), "k": pl.Int32(), "change_hundredths": pl.Int32()},
        orient="row",
    )
    per_event = frame.group_by("fide_id", "event_id", "k").agg(
        pl.len().cast(pl.Int32).alias("games"), pl.col("change_hundredths").sum()
    )
    (row,) = sum_changes(per_event, rules).to_dicts()
    return row


def test_per_event_halves_of_both_signs_go_away_from_zero():
    assert change(PER_EVENT, (1, 20, 250), (2, 20, -150))["change"] == 1


def test_all_rated_games_are_counted():
    assert change(PER_EVENT, (1, 20, 0), (1, 20, 0), (2, 20, 0))["games"] == 3


def test_each_player_has_a_sum_of_their_own():
    frame = pl.DataFrame(
        {"fide_id": [7, 8], "games": [1, 1], "k": [20, 40], "change_hundredths": [1000, -2000]},
        schema={"fide_id": pl.Int64(), "games": pl.Int32(), "k": pl.Int32(), "change_hundredths": pl.Int32()},
    )
    found = sum_changes(frame, PER_PERIOD).sort("fide_id")
    assert found.select("fide_id", "k", "change").rows() == [(7, 20, 10), (8, 40, -20)]


# ----------------------------------------------------------------------------------- k and types of the sum


def summed(rules: ChangeRules, *games: tuple[int, int]) -> pl.DataFrame:
    """Return the sum of one player's ``games``, each the only one of its event: event and K."""
    frame = pl.DataFrame(
        [(7, event, 1, k, 100) for event, k in games],
        schema={
            "fide_id": pl.Int64(),
            "event_id": pl.UInt32(),
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
