"""The worked examples of the literature, ``tests/worked_examples.csv``: a command prints the figures of each."""

from __future__ import annotations

import csv
import re
import shlex

import pytest

from tests.command_line import entered
from tests.conftest import ROOT

with (ROOT / "tests" / "worked_examples.csv").open(encoding="utf-8", newline="") as file:
    EXAMPLES = list(csv.DictReader(file))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["example"])
def test_a_command_prints_the_figures(example: dict[str, str]) -> None:
    text = entered(*shlex.split(example["command"])).stdout
    for figure in example["prints"].split(", "):
        assert re.search(rf"(?<![\d.]){re.escape(figure)}(?!\d)", text), figure
