from __future__ import annotations

import re

import pytest

from benchmarks.__main__ import main
from benchmarks.month import SIZES, Size, made
from benchmarks.peers import c_compiler
from benchmarks.table import table

TINY = Size(reports=2, players=240)
NUMBER = r"-?[\d,]+(\.\d+)?%?"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return tmp_path_factory.mktemp("benchmarks")


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setitem(SIZES, "S", TINY)


def cells(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]


@pytest.mark.long
def test_each_stage_of_a_month_is_measured_next_to_its_floor(tiny, data, capsys):
    main(["run", "--sizes", "S", "--runs", "1", "--data", str(data), "--out", str(data / "table.md")])
    printed = capsys.readouterr().out
    header, _, *rows = cells(printed)
    assert header[:6] == ["stage", "seconds", "min", "max", "floor", "ratio"]
    assert [row[0] for row in rows] == ["import-list", "load", "rate", "publish", "export", "run", "--help", "sql"]
    assert [cell for row in rows for cell in row[1:] if not re.fullmatch(NUMBER, cell)] == []
    assert (data / "table.md").read_text(encoding="utf-8") == printed


@pytest.mark.long
def test_months_of_so_many_games_are_measured_and_what_does_not_fit_is_named(data, capsys):
    main(["run", "--games", "0.0008", "1000000000", "--data", str(data)])
    printed = capsys.readouterr().out
    _, _, row = cells(printed)
    assert row[:3] == ["0.0008", "1", "240"]
    assert [cell for cell in row if not re.fullmatch(NUMBER, cell)] == []
    assert "1e+09 million games: not measured, they would need about" in printed


@pytest.mark.long
def test_the_kernel_and_the_month_are_measured_with_the_peers_that_are_installed(tiny, data, capsys):
    main(["peers", "--size", "S", "--runs", "1", "--data", str(data), "--peers-python", "no-such-python"])
    kernel, month = (cells(part) for part in capsys.readouterr().out.split("The month from its reports"))
    measured = ["ratinglist", *(["C loop"] if c_compiler() else []), "Polars", "DuckDB SQL", "plain Python loop"]
    assert [row[0] for row in month[2:]] == measured
    figures = [row[1:-2] for row in kernel if row[0] in measured] + [row[1:] for row in month[2:]]
    assert [cell for row in figures for cell in row if not re.fullmatch(NUMBER, cell) and cell != "–"] == []
    missing = {row[0]: row[-1] for row in kernel if row[1] == "–"}
    assert {"pandas", "riix", "elote", "skelo"} <= set(missing)
    assert missing["riix"] == "not measured: there is no no-such-python; make peers installs it"


def test_a_month_once_made_is_kept_where_git_does_not_see_it(data):
    before = made(TINY, data).starting_list.stat().st_mtime_ns
    assert made(TINY, data).starting_list.stat().st_mtime_ns == before
    assert (data / ".gitignore").read_text(encoding="utf-8") == "*\n"


def test_a_table_is_aligned():
    assert table(["stage", "s", "leaves out"], [["load", "10.25", "a"]], 1, 1).splitlines() == [
        "| stage |     s | leaves out |",
        "| ----- | ----: | ---------- |",
        "| load  | 10.25 | a          |",
    ]
