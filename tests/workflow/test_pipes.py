"""A pipe in the place of any file of a home does not hang a command: what is there is named, or made again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ratinglist.config import Settings
from tests.command_line import Shown, environment
from tests.conftest import MONTHS, SAMPLE, office

FOUND_BY_DOCTOR = {
    "published/2025-09/both_numbers.parquet",
    "published/rollbacks.csv",
    "published/2025-09/latest",
    "published/2025-09/r1/manifest.json",
    "published/2025-09/r1/standard.parquet",
    "log/000003.json",
    "calculations/month=2025-09/c1/files.json",
    "calculations/month=2025-09/c1/games.parquet",
    "calculations/month=2025-09/c1/private/state.parquet",
    "office.toml",
    "reports/*",
    "originals/*",
    "ratinglist.duckdb",
}
REMEMBERED = {"compared.json", "last-backup.json"}
"""Files that only save time or state what is known: without them a home is whole."""


@pytest.fixture(scope="module")
def _eventful(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = Path(shutil.copytree(homes / MONTHS[0], tmp_path_factory.mktemp("pipes") / "home"))
    (home / "office.toml").write_text("", encoding="utf-8")
    return home


@pytest.fixture
def settings(_eventful: Path, tmp_path: Path) -> Settings:
    """An office that has published one month; yours to break."""
    return office(Path(shutil.copytree(_eventful, tmp_path / "home")))


def given(home: Path, *words: str) -> Shown:
    """A command in a process of its own, which is ended where it hangs."""
    command = [sys.executable, "-m", "ratinglist", *words]
    done = subprocess.run(command, env=environment(home), capture_output=True, text=True, check=False, timeout=60)
    assert "Traceback" not in done.stderr
    assert "defect" not in done.stderr
    return Shown(done.returncode, done.stdout, done.stderr)


def piped(home: Path, name: str) -> Path:
    """Put a pipe in the place of a file, or of the first that a pattern names."""
    path = next(iter(sorted(home.glob(name))), home / name)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    return path


@pytest.mark.parametrize("name", sorted(FOUND_BY_DOCTOR | REMEMBERED))
def test_a_pipe_does_not_hang_a_command(settings: Settings, tmp_path: Path, name: str) -> None:
    path = piped(settings.home, name)
    shown = given(settings.home, "doctor")
    if name in FOUND_BY_DOCTOR:
        assert (shown.returncode, str(path) in shown.stdout) == (4, True), shown
    else:
        assert shown.returncode == 0, shown
    for words in (
        ("status",),
        ("backup", str(tmp_path / "backup")),
        ("rate", MONTHS[0]),
        ("verify", str(settings.published)),
    ):
        shown = given(settings.home, *words)
        if name in REMEMBERED:
            assert shown.returncode == 0, (words, shown)


def test_a_pipe_among_what_is_imported_does_not_hang(settings: Settings, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "list.csv")
    for words in (("import-players",), ("load",)):
        assert given(settings.home, *words, str(tmp_path / "list.csv")).returncode in (2, 3)
    assert given(settings.home, "import-players", str(SAMPLE / f"players-{MONTHS[0]}.csv")).returncode == 0
