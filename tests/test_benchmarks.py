from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from benchmarks.__main__ import main
from benchmarks.measure import ROOT
from benchmarks.month import Size, made
from benchmarks.table import table

TINY = Size(reports=2, players=240)
ASKED = ["--reports", str(TINY.reports), "--players", str(TINY.players), "--runs", "1"]
NUMBER = r"-?[\d,]+(\.\d+)?%?"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return tmp_path_factory.mktemp("benchmarks")


def cells(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]


def test_a_tiny_month_is_measured_end_to_end(data, tmp_path, capsys):
    main([*ASKED, "--data", str(data), "--out", str(tmp_path / "table.md")])
    text = capsys.readouterr().out
    header, _, *rows = cells(text)
    assert header[:6] == ["stage", "seconds", "min", "max", "floor", "ratio"]
    assert [row[0] for row in rows] == ["import-list", "load", "rate", "publish", "run", "--help", "sql"]
    assert [cell for row in rows for cell in row[1:] if not re.fullmatch(NUMBER, cell)] == []
    assert (tmp_path / "table.md").read_text(encoding="utf-8") == text


def test_a_month_once_made_is_kept(data):
    before = made(TINY, data).starting_list.stat().st_mtime_ns
    assert made(TINY, data).starting_list.stat().st_mtime_ns == before


def test_git_does_not_see_the_data(data):
    made(TINY, data)
    assert (data / ".gitignore").read_text(encoding="utf-8") == "*\n"


@pytest.mark.long
def test_a_profile_names_the_steps_of_every_stage(data, capsys):
    main([*ASKED, "--data", str(data), "--profile"])
    _, _, *rows = cells(capsys.readouterr().out)
    steps = {(row[0], row[1]) for row in rows}
    assert {stage for stage, _ in steps} == {"import-list", "load", "rate", "publish"}
    assert {("load", "pair"), ("rate", "place ratings"), ("publish", "write Parquet")} <= steps
    assert {stage for stage, step in steps if step == "together"} == {"import-list", "load", "rate", "publish"}


def test_every_step_of_the_profile_is_still_a_function_of_the_program():
    # in a process of its own, for importing the steps starts their clock
    told = (
        "import json; from benchmarks.steps import SHARED, STEPS; "
        "steps = [*SHARED, *(step for stage in STEPS.values() for step in stage)]; "
        "print(json.dumps([step for step, owner, name in steps if not callable(getattr(owner, name, None))]))"
    )
    done = subprocess.run([sys.executable, "-c", told], cwd=ROOT, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []


def test_a_table_is_aligned():
    assert table(["stage", "s"], [["load", "10.25"]]).splitlines() == [
        "| stage |     s |",
        "| ----- | ----: |",
        "| load  | 10.25 |",
    ]
