"""The players of a month who are on none of its lists, and their names."""

from __future__ import annotations

import polars as pl

from ratinglist.rating.rating_list import unlisted_among, unrated_players
from ratinglist.tables import PLAYER, UNRATED
from tests.published_sample import rows

LISTED, PLAYED, ENTERED, WAITS, UNREGISTERED = 101, 102, 103, 104, 105


def tables(played: list[int], entered: list[int], waiting: list[int]) -> list[pl.DataFrame]:
    ids = (played, entered, waiting)
    return [pl.DataFrame({"fide_id": one}, schema={"fide_id": pl.Int64}) for one in ids]


def test_players_of_games_entries_and_pool_are_found_once_and_in_order():
    month = tables([WAITS, PLAYED, LISTED, PLAYED], [ENTERED], [WAITS])
    found = unlisted_among(month, [pl.Series([LISTED], dtype=pl.Int64), pl.Series([999], dtype=pl.Int64)])
    assert found.to_list() == [PLAYED, ENTERED, WAITS]


def test_a_player_of_any_list_is_rated():
    lists = [pl.Series([LISTED], dtype=pl.Int64), pl.Series([PLAYED], dtype=pl.Int64)]
    assert unlisted_among(tables([LISTED, PLAYED], [], []), lists).to_list() == []


def test_without_lists_all_are_unrated():
    assert unlisted_among(tables([PLAYED], [], []), []).to_list() == [PLAYED]


def test_names_are_those_of_the_register_and_an_unregistered_player_has_none():
    players = rows(
        PLAYER,
        {"fide_id": WAITS, "name": "Waits, Wanda", "federation": "ITA", "sex": "F"},
        {"fide_id": PLAYED, "name": "Played, Paul", "federation": "NOR"},
        {"fide_id": LISTED, "name": "Listed, Lou", "federation": "NOR"},
    )
    found = unrated_players(pl.Series([PLAYED, WAITS, UNREGISTERED]), players)
    assert found.schema == UNRATED.schema
    assert found.rows() == [(PLAYED, "Played, Paul", "NOR"), (WAITS, "Waits, Wanda", "ITA")]
