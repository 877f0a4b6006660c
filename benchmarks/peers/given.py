"""The inputs of every plain version besides the files: the table of expected scores and the year juniors are judged in.

Nothing large is imported here, so that the memory measured is that of the implementation alone.
"""

from __future__ import annotations

import csv

from benchmarks.measure import ROOT
from benchmarks.month import MONTH_BEFORE

SCORES = ROOT / "data" / "tables" / "expected_score.csv"
YEAR = int(MONTH_BEFORE[:4])
"""K is judged on the list before the one computed."""


def higher_scores() -> list[int]:
    """Return the higher rated player's expected scores in hundredths, by absolute difference, up to the last range."""
    scores: list[int] = []
    with SCORES.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            last = int(row["difference_to"] or row["difference_from"])
            scores += [int(row["higher_hundredths"])] * (last + 1 - len(scores))
    return scores
