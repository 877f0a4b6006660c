"""The players of a month who are on none of its lists, and their names."""

from __future__ import annotations

import polars as pl
import pytest

from ratinglist.rating.rating_list import unlisted_among, unrated_players
from ratinglist.tables import PLAYER, UNRATED
from tests.published_sample import rows

LISTED, PLAYED, ENTERED, WAITS, UNREGISTERED = 101, 102, 103, 104, 105


@pytest.mark.parametrize(
    ("month", "lists", "unrated"),
    [
        ([[WAITS, PLAYED, LISTED, PLAYED], [ENTERED], [WAITS]], [[LISTED], [999]], [PLAYED, ENTERED, WAITS]),
        ([[LISTED, PLAYED], [], []], [[LISTED], [PLAYED]], []),
        ([[PLAYED], [], []], [], [PLAYED]),
    ],
)
def test_the_players_on_no_list_are_found_once_and_in_order(month, lists, unrated):
    tables = [pl.DataFrame({"fide_id": players}, schema={"fide_id": pl.Int64}) for players in month]
    assert unlisted_among(tables, [pl.Series(listed, dtype=pl.Int64) for listed in lists]).to_list() == unrated


def test_names_are_those_of_the_register_and_an_unregistered_player_has_none():
    players = rows(
        PLAYER,
        {"fide_id": WAITS, "name": "Waits, Wanda", "federation": "ITA", "sex": "F"},
        {"fide_id": PLAYED, "name": "Played, Paul", "federation": "NOR"},
        {"fide_id": LISTED, "name": "Listed, Lou", "federation": "NOR"},
    )
    unrated = unrated_players(pl.Series([PLAYED, WAITS, UNREGISTERED]), players)
    assert unrated.schema == UNRATED.schema
    assert unrated.rows() == [(PLAYED, "Played, Paul", "NOR"), (WAITS, "Waits, Wanda", "ITA")]
