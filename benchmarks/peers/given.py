"""What every plain version is given besides the files: the table of expected scores and the year juniors are judged in.

Nothing heavy is imported here: what a way to rate holds in memory is its own.
"""

from __future__ import annotations

import csv

from benchmarks.measure import ROOT
from benchmarks.month import MONTH_BEFORE

SCORES = ROOT / "data" / "tables" / "expected_score.csv"
YEAR = int(MONTH_BEFORE[:4])
"""K is judged on the list before the one computed."""


def higher_scores() -> list[int]:
    """The table of expected scores of the higher rated player in hundredths, by |difference|; the last one holds on."""
    scores: list[int] = []
    with SCORES.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            last = int(row["difference_to"] or row["difference_from"])
            scores += [int(row["higher_hundredths"])] * (last + 1 - len(scores))
    return scores
