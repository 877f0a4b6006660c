"""The figures in docs/explanation/rules-as-data.md are those of the sample's list of November."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import polars as pl

from tests.docs.session import ROOT

PAGE = (ROOT / "docs/explanation/rules-as-data.md").read_text(encoding="utf-8")
HALVES = {"1": 2, "½": 1, "0": 0}
RAVNIK = 99900143


def test_every_row_of_the_table_is_a_row_of_the_published_games(published: Path) -> None:
    games = pl.read_parquet(published / "2025-11" / "r1" / "games.parquet").filter(pl.col("fide_id") == RAVNIK)
    printed = re.findall(r"^\| (ORV\d+) \|(.*)\|$", PAGE, re.MULTILINE)
    assert len(printed) == 4
    for event, cells in printed:
        opponent, difference, used, expected, halves, change, rule_set = (
            cell.strip().strip("*") for cell in cells.split("|")
        )
        assert games.filter(
            (pl.col("event_id") == event)
            & (pl.col("opponent_rating") == int(opponent))
            & (pl.col("difference") == int(difference))
            & (pl.col("difference_used") == int(used))
            & (pl.col("expected_hundredths") == int(expected.removeprefix(".")))
            & (pl.col("score_halves") == HALVES[halves])
            & (pl.col("change_hundredths") == int(Decimal(change.replace("−", "-")) * 100))
            & (pl.col("rule_set") == rule_set)
        ).height, cells


def test_the_sum_is_rounded_once_to_the_new_rating(published: Path) -> None:
    changes = pl.read_parquet(published / "2025-11" / "r1" / "changes.parquet").filter(pl.col("fide_id") == RAVNIK)
    row = changes.row(0, named=True)
    assert (row["old_rating"], row["games"], row["change_hundredths"], row["new_rating"]) == (2668, 14, 1250, 2681)
    assert "+12.50" in PAGE
    assert "2668 + 13 = **2681**" in PAGE
