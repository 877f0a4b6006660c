"""A row of a diff without a cause says so, and a diff that no correction is behind does not say more than is known."""

from __future__ import annotations

import polars as pl
import pytest

from ratinglist.corrections.diff import Chain, compare_revisions, no_moves, states_differing
from ratinglist.period import Period
from ratinglist.tables import CHANGE, GAME, LIST_STATE, LISTED, PUBLISHED, TOUCHED, Table

NOVEMBER = Period.parse("2025-11")


def tables(rating: int, k: int) -> dict[str, pl.DataFrame]:
    row = {"time_control": "standard", "fide_id": 1, "rating": rating, "k": k, "games": 0, "list_month": "2025-11"}
    texts = {name: "" for name, column in LISTED.columns.items() if column.dtype == pl.String() and name not in row}
    empty = {stem: PUBLISHED[stem].empty() for stem in ("games", "changes", "events", "entries", "pool")}
    return {"standard": LISTED.conform(pl.DataFrame([{**row, **texts, "birth_year": None}])), **empty}


@pytest.mark.parametrize(
    ("rating", "k", "cause", "because"),
    [
        (1810, 20, "unknown", "the cause is not known"),
        # The birth date, which no list shows, decides K.
        (1800, 40, "data", "player data changed: data that the list does not show, such as the birth date"),
    ],
)
def test_a_cause_that_is_not_found_is_not_made_up(rating: int, k: int, cause: str, because: str) -> None:
    chain = Chain(NOVEMBER, "2025-10", no_moves(), pl.DataFrame(schema=TOUCHED))
    states = states_differing(LIST_STATE.empty(), LIST_STATE.empty())
    rows, _, behind = compare_revisions(tables(1800, 20), tables(rating, k), states, chain)
    assert (rows["cause"].to_list(), rows["because"].to_list(), behind) == ([cause], [because], set())


def with_a_game(rating: int, k: int, score: int) -> dict[str, pl.DataFrame]:
    """A list whose player had 1800 and played a single game, with an expected score of one half."""
    side = {"time_control": "standard", "event_id": "OPEN", "round": 1, "fide_id": 1, "opponent_id": 2, "k": k}
    hundredths = k * (50 * score - 50)
    side |= {"score_halves": score, "rating": 1800, "opponent_rating": 1800, "expected_hundredths": 50, "rated": True}
    side |= {"rule_set": "fide/standard/2024-03-01", "reason": "", "change_hundredths": hundredths}
    change = {"time_control": "standard", "fide_id": 1, "old_rating": 1800, "games": 1, "k": k, "status": "rated"}
    change |= {"change_hundredths": hundredths, "change": hundredths // 100, "new_rating": rating}
    games, changes = (with_all(pl.DataFrame([row]), table) for row, table in ((side, GAME), (change, CHANGE)))
    return {**tables(rating, k), "games": games, "changes": changes}


def with_all(frame: pl.DataFrame, table: Table) -> pl.DataFrame:
    return table.conform(pl.concat([table.empty(), frame], how="diagonal_relaxed"))


@pytest.mark.parametrize(("k", "rating", "rule_files"), [(20, 1790, ""), (10, 1795, "fide/standard/2024-03-01")])
def test_a_rule_file_is_named_next_to_a_correction_where_k_is_another(k: int, rating: int, rule_files: str) -> None:
    result = {"correction_no": 1, "decided_no": 1, "action": "change_result", "event_id": "OPEN", "round": 1}
    touched = pl.DataFrame([{**dict.fromkeys(TOUCHED), **result, "white_id": 1, "black_id": 2}], schema=TOUCHED)
    chain = Chain(NOVEMBER, "2025-10", no_moves(), touched, ["fide/standard/2024-03-01"])
    states = states_differing(LIST_STATE.empty(), LIST_STATE.empty())
    rows, _, behind = compare_revisions(with_a_game(1810, 20, 2), with_a_game(rating, k, 0), states, chain)
    assert rows.select("cause", "corrections", "rule_files").rows() == [("game", "1", rule_files)]
    assert behind == {1}


def test_a_game_that_is_not_rated_has_the_sentence_of_its_reason() -> None:
    result = {"correction_no": 1, "decided_no": 1, "action": "withdraw_event", "event_id": "OPEN"}
    touched = pl.DataFrame([{**dict.fromkeys(TOUCHED), **result}], schema=TOUCHED)
    chain = Chain(NOVEMBER, "2025-10", no_moves(), touched, [])
    after = with_a_game(1800, 20, 2)
    unrated = after["games"].with_columns(reason=pl.lit("opponent_unrated"), rated=pl.lit(value=False))
    states = states_differing(LIST_STATE.empty(), LIST_STATE.empty())
    rows, _, _ = compare_revisions(with_a_game(1810, 20, 2), {**after, "games": unrated}, states, chain)
    (because,) = rows["because"]
    assert "not rated (the opponent had no rating when the event started)" in because
