"""The desk: every page and form, a month by forms alone, and what keeps others out."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from tests.conftest import SAMPLE
from tests.desks import Officer, at_the_desk

TODAY = date(2025, 12, 1)


@pytest.fixture(scope="module")
def reader(homes: Path) -> Iterator[Officer]:
    """An officer who only looks at an office that has published a month."""
    with at_the_desk(homes / "2025-10", TODAY) as officer:
        yield officer


@pytest.fixture
def home(homes: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(homes / "2025-09", tmp_path / "home", symlinks=True))


@pytest.fixture
def officer(home: Path) -> Iterator[Officer]:
    """An officer of an office that has published September."""
    with at_the_desk(home, TODAY) as officer:
        yield officer


def month_files(home: Path, month: str) -> dict[str, bytes]:
    return {
        path.relative_to(home).as_posix(): path.read_bytes()
        for path in sorted((home / "published" / month).rglob("*"))
        if path.is_file()
    }


def test_a_month_by_forms_is_that_of_the_commands(officer: Officer, home: Path, homes: Path):
    officer.opens("/players")
    officer.sends("/do/import", [SAMPLE / "players-2025-10.csv"])
    assert "federation KEL -&gt; ORV" in officer.page
    officer.sends("/work/1/apply")
    officer.opens("/inbox")
    officer.sends("/do/load", sorted((SAMPLE / "reports" / "2025-10").iterdir()))
    assert "Accepted: 8" in officer.page
    assert "October 2025" in officer.opens("/")
    officer.sends("/do/calculate")
    assert "What moves" in officer.page
    officer.sends("/do/publish")
    assert "published as r1" in officer.page
    assert month_files(home, "2025-10") == month_files(homes / "2025-10", "2025-10")
