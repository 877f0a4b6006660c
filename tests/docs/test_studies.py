"""The snippets for analysts run on published lists, in each language."""

from __future__ import annotations

import contextlib
import io
import shutil
import subprocess
from pathlib import Path

import duckdb
import pytest

from tests.conftest import MONTHS
from tests.docs.session import ROOT, fences

PAGE = ROOT / "docs" / "how-to" / "study-published-lists.md"


def snippet(kind: str) -> str:
    ((_, text),) = fences(PAGE, kind)
    return text


@pytest.fixture(autouse=True)
def place(published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ratinglist-home").symlink_to(published.parent)
    monkeypatch.chdir(tmp_path)


def test_the_snippet_in_python_reads_the_lists():
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(snippet("python"), names := {})
    assert str(list(MONTHS)) in printed.getvalue()
    assert names["games"].height > 0


def test_the_snippet_in_sql_counts_the_players_of_each_list():
    counts = duckdb.sql(snippet("sql")).fetchall()
    assert [row[0] for row in counts] == list(MONTHS)
    assert all(row[1] > 100 for row in counts)


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed here")
def test_the_snippet_in_r_reads_the_csv_and_draws():
    shown = subprocess.run(["Rscript", "-e", snippet("r")], capture_output=True, text=True, check=True)
    assert [line.split()[1] for line in shown.stdout.splitlines()[1:]] == list(MONTHS)
    assert Path("means.pdf").is_file()
