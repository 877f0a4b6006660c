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


def snippets(kind: str) -> list[str]:
    return [text for _, text in fences(PAGE, kind)]


def snippet(kind: str) -> str:
    (found,) = snippets(kind)
    return found


@pytest.fixture(autouse=True)
def place(published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ratinglist-home").symlink_to(published.parent)
    monkeypatch.chdir(tmp_path)


def test_the_snippets_in_python_read_the_lists():
    by_the_program, by_polars = snippets("python")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(by_the_program, names := {})
    assert str(list(MONTHS)) in printed.getvalue()
    assert names["games"].height > 0
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(by_polars, {})
    assert all(month in printed.getvalue() for month in MONTHS)


def test_the_snippets_in_sql_count_the_players_of_each_list():
    of_home, of_copy = (duckdb.sql(text).fetchall() for text in snippets("sql"))
    assert of_home == of_copy
    assert [row[0] for row in of_home] == list(MONTHS)
    assert all(row[1] > 100 for row in of_home)


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed here")
def test_the_snippet_in_r_reads_the_csv_and_draws():
    shown = subprocess.run(["Rscript", "-e", snippet("r")], capture_output=True, text=True, check=True)
    assert [line.split()[1] for line in shown.stdout.splitlines()[1:]] == list(MONTHS)
    assert Path("means.pdf").is_file()
