"""The players of a list are those of the list before, those added and those removed."""

from __future__ import annotations

import polars as pl
import pytest

from ratinglist.publication.report_document import ListBalance

NONE: dict[int, str] = {}


def balance(listed: list[int], before: list[int], statuses: dict[int, str]) -> ListBalance:
    changes = pl.DataFrame(
        {"fide_id": list(statuses), "status": list(statuses.values())},
        schema={"fide_id": pl.Int64, "status": pl.String},
    )
    ids = {"fide_id": pl.Int64}
    return ListBalance.of(pl.DataFrame({"fide_id": listed}, ids), pl.DataFrame({"fide_id": before}, ids), changes)


@pytest.mark.parametrize(
    ("listed", "before", "statuses", "text"),
    [
        ([1, 2], [1, 2], {1: "rated"}, "2 before = 2 now"),
        (
            [1, 3, 4],
            [1, 2],
            {1: "rated", 2: "delisted", 3: "entered", 4: "rated"},
            "2 before + 1 entered + 1 entered through their standard rating − 1 delisted = 3 now",
        ),
        ([1, 3], [1, 2], NONE, "2 before + 1 added under another FIDE ID − 1 removed under another FIDE ID = 2 now"),
        (
            [1],
            [1],
            {5: "delisted"},
            "1 before = 1 now; 1 player was rated from the standard rating and delisted at once",
        ),
        ([5], [], {5: "entered"}, "0 before + 1 entered = 1 now"),
    ],
)
def test_the_balance_adds_up(listed, before, statuses, text):
    found = balance(listed, before, statuses)
    assert found.now == len(listed)
    assert found.text() == text
