from __future__ import annotations

import json
import re
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO

import pytest

from benchmarks.__main__ import main
from benchmarks.exports import EXPORTS
from benchmarks.measure import ROOT
from benchmarks.month import Size, made
from benchmarks.peers import c_compiler
from benchmarks.table import table

TINY = Size(reports=2, players=240)
TINY_MONTH = ["--reports", str(TINY.reports), "--players", str(TINY.players), "--runs", "1"]
NO_PEERS = ["--peers-python", "no-such-python"]
NUMBER = r"-?[\d,]+(\.\d+)?%?"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return tmp_path_factory.mktemp("benchmarks")


def cells(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]


@pytest.fixture(scope="module")
def measured(data):
    """What the benchmark of a tiny month prints, where nothing but the program is installed."""
    with redirect_stdout(StringIO()) as printed:
        main([*TINY_MONTH, *NO_PEERS, "--data", str(data), "--out", str(data / "table.md")])
    return printed.getvalue()


@pytest.mark.long
def test_a_tiny_month_is_measured_end_to_end(measured):
    header, _, *rows = cells(measured.partition("| way")[0])
    assert header[:6] == ["stage", "seconds", "min", "max", "floor", "ratio"]
    assert [row[0] for row in rows] == ["import-list", "load", "rate", "publish", "export", "run", "--help", "sql"]
    assert [cell for row in rows for cell in row[1:] if not re.fullmatch(NUMBER, cell)] == []


@pytest.mark.long
def test_the_tables_are_printed_and_kept(measured, data):
    assert (data / "table.md").read_text(encoding="utf-8") == measured


@pytest.mark.long
def test_every_export_is_measured(capsys):
    main(["--exports", "--players", "200", "--runs", "1"])
    _, _, *rows = cells(capsys.readouterr().out)
    assert [row[0] for row in rows] == list(EXPORTS)
    assert [cell for row in rows for cell in row[1:] if not re.fullmatch(NUMBER, cell)] == []


@pytest.mark.long
def test_the_kernel_is_measured_with_its_peers(measured):
    rows = {row[0]: row[1:-1] for row in cells(measured)}
    for way in ["ratinglist", "DuckDB SQL", "plain Python loop"]:
        numbers = [cell for cell in rows[way] if cell != "–" or c_compiler()]
        assert [cell for cell in numbers if not re.fullmatch(NUMBER, cell)] == []


@pytest.mark.long
def test_a_peer_that_is_not_installed_is_named_not_hidden(measured):
    shown = {row[0]: row[-1] for row in cells(measured)}
    for peer in ["pandas", "riix", "elote", "skelo"]:
        assert shown[peer] == "not measured: there is no no-such-python; make bench installs it"


@pytest.mark.long
def test_growth_has_a_line_for_each_step_and_size(data, capsys):
    main([*TINY_MONTH, "--growth", "800", "2400", "--data", str(data)])
    _, _, *rows = cells(capsys.readouterr().out)
    loop = ["kernel: C loop"] * 2 if c_compiler() else []
    assert [row[0] for row in rows] == ["kernel: ratinglist"] * 2 + loop + ["rate"] * 2
    assert [cell for row in rows for cell in row[1:] if not re.fullmatch(NUMBER, cell)] == []
    for first, second in zip(rows[::2], rows[1::2], strict=True):
        assert int(first[1].replace(",", "")) < int(second[1].replace(",", ""))


@pytest.mark.long
def test_a_history_has_a_line_for_each_month(data, capsys):
    main([*TINY_MONTH, "--history", "3", "--data", str(data)])
    text = capsys.readouterr().out
    months, corrected = text.split("CPU seconds a game")
    _, _, *rows = cells(months)
    assert [row[0] for row in rows] == ["2025-09", "2025-10", "2025-11", "together"]
    assert [cell for row in rows[:-1] for cell in row[1:] if not re.fullmatch(NUMBER, cell)] == []
    assert "the later half of the months against the earlier half" in text
    _, _, *costs = cells(corrected)
    assert [row[0] for row in costs[:3]] == ["rate and publish one month", "correct", "rerate --from 2025-11"]
    assert [row[0] for row in costs[5:]] == ["status", "--help"]
    assert "1 of 1 lists got a new revision." in text


def test_the_months_of_a_history_have_events_of_their_own(data):
    world = made(TINY, 2, data)
    assert world.before == "2025-09"
    events = {
        month.name: {
            line.split(",")[1] for line in (month.reports / "manifest.csv").read_text(encoding="utf-8").splitlines()[1:]
        }
        for month in world.months
    }
    assert {month: len(codes) for month, codes in events.items()} == {"2025-10": 2, "2025-11": 2}
    assert not events["2025-10"] & events["2025-11"]


@pytest.mark.long
def test_a_simulated_world_can_be_measured(data):
    world = made(Size(reports=4, players=240, simulated=True), 2, data)
    assert [month.name for month in world.months] == ["2025-10", "2025-11"]
    for month in world.months:
        assert month.players is not None
        assert month.players.exists()
        assert list(month.reports.glob("*.trf"))


def test_a_month_once_made_is_kept(data):
    before = made(TINY, data=data).starting_list.stat().st_mtime_ns
    assert made(TINY, data=data).starting_list.stat().st_mtime_ns == before


def test_git_does_not_see_the_data(data):
    made(TINY, data=data)
    assert (data / ".gitignore").read_text(encoding="utf-8") == "*\n"


@pytest.mark.long
def test_a_profile_names_the_steps_of_every_stage(data, capsys):
    main([*TINY_MONTH, "--data", str(data), "--profile"])
    _, _, *rows = cells(capsys.readouterr().out)
    steps = {(row[0], row[1]) for row in rows}
    assert {stage for stage, _ in steps} == {"import-list", "load", "rate", "publish"}
    assert {("load", "pair"), ("rate", "join ratings"), ("rate", "write Parquet"), ("publish", "checks")} <= steps
    assert {stage for stage, step in steps if step == "together"} == {"import-list", "load", "rate", "publish"}
    # What runs during a step would be taken off it.
    assert [row for row in rows if row[3].startswith("-")] == []


@pytest.mark.long
def test_every_step_of_the_profile_is_still_a_function_of_the_program():
    # in a process of its own, for importing the steps starts their clock
    script = (
        "import json; from benchmarks.steps import SHARED, STEPS; "
        "steps = [*SHARED, *(step for stage in STEPS.values() for step in stage)]; "
        "print(json.dumps([step for step, owner, name in steps if not callable(getattr(owner, name, None))]))"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []


def test_a_table_is_aligned():
    assert table(["stage", "s"], [["load", "10.25"]]).splitlines() == [
        "| stage |     s |",
        "| ----- | ----: |",
        "| load  | 10.25 |",
    ]


def test_a_table_can_end_in_words():
    assert table(["way", "s", "leaves out"], [["C", "1.25", "a"]], 1, 1).splitlines()[1:] == [
        "| --- | ---: | ---------- |",
        "| C   | 1.25 | a          |",
    ]
