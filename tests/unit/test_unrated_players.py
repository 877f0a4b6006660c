"""The players of a month who are on none of its lists, and their names."""

from __future__ import annotations

import polars as pl

from ratinglist.rating.model import MonthResult
from ratinglist.rating.unrated_players import unlisted_ids, unrated_players
from ratinglist.schemas import CHANGE, ENTRY, EVENT, LIST_STATE, PLAYER, POOL, SIDE, UNRATED
from tests.published_sample import rows

LISTED, PLAYED, ENTERED, WAITS, UNREGISTERED = 101, 102, 103, 104, 105


def result(played: list[int], entered: list[int], waiting: list[int]) -> MonthResult:
    def of(table, ids):
        return rows(table, *({"fide_id": one} for one in ids)) if ids else table.empty()

    sides = SIDE.empty() if not played else pl.DataFrame({"fide_id": played}, schema={"fide_id": pl.Int64})
    return MonthResult(EVENT.empty(), sides, CHANGE.empty(), of(ENTRY, entered), of(POOL, waiting), LIST_STATE.empty())


def test_players_of_games_entries_and_pool_are_found_once_and_in_order():
    month = result([WAITS, PLAYED, LISTED, PLAYED], [ENTERED], [WAITS])
    found = unlisted_ids(month, [pl.Series([LISTED], dtype=pl.Int64), pl.Series([999], dtype=pl.Int64)])
    assert found.to_list() == [PLAYED, ENTERED, WAITS]


def test_a_player_of_any_list_is_rated():
    lists = [pl.Series([LISTED], dtype=pl.Int64), pl.Series([PLAYED], dtype=pl.Int64)]
    assert unlisted_ids(result([LISTED, PLAYED], [], []), lists).to_list() == []


def test_without_lists_all_are_unrated():
    assert unlisted_ids(result([PLAYED], [], []), []).to_list() == [PLAYED]


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
