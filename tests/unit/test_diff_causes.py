"""A row of a diff without a cause says so, and a diff that no correction is behind does not say more than is known."""

from __future__ import annotations

import polars as pl
import pytest

from ratinglist.corrections import Chain, ListTables, compare_revisions, diff_document, no_moves, states_differing
from ratinglist.pages.markdown import as_markdown
from ratinglist.period import Period
from ratinglist.schemas import CHANGE, DIFF, ENTRY, EVENT, GAME, LIST_STATE, LISTED, POOL, TOUCHED

NOVEMBER = Period.parse("2025-11")


def tables(rating: int, k: int) -> ListTables:
    row = {"time_control": "standard", "fide_id": 1, "rating": rating, "k": k, "games": 0, "list_month": "2025-11"}
    texts = {name: "" for name, column in LISTED.columns.items() if column.dtype == pl.String() and name not in row}
    return ListTables(
        lists=LISTED.conform(pl.DataFrame([{**row, **texts, "birth_year": None}])),
        games=GAME.empty(),
        changes=CHANGE.empty(),
        events=EVENT.empty(),
        entries=ENTRY.empty(),
        pool=POOL.empty(),
    )


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
    text = as_markdown(diff_document(rows, NOVEMBER, 2, [], {}))
    is_said = "None. The cause is not known for 1 of the players who differ: their rows say so." in text
    assert is_said == (cause == "unknown")


def test_a_diff_without_rows_and_without_corrections_names_no_cause() -> None:
    text = as_markdown(diff_document(DIFF.empty(), NOVEMBER, 2, [], {}))
    assert "Not known: no correction reaches what differs. Reports or players' data may have come later." in text
