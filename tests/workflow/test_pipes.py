"""A pipe in the place of any file of a home does not hang a command: what is there is named, or made again."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ratinglist.settings import Settings
from tests.conftest import MONTHS, ROOT, copied
from tests.parameters import long_but
from tests.workflow.test_interrupted_commands import ENVIRONMENT

FOUND_BY_DOCTOR = {
    "published/2025-09/both_numbers.parquet",
    "published/rollbacks.csv",
    "published/2025-09/latest",
    "published/2025-09/r1/manifest.json",
    "published/2025-09/r1/standard.parquet",
    "log/000003.json",
    "calculations/month=2025-09/c1/games.parquet",
    "calculations/month=2025-09/c1/private/state.parquet",
    "office.toml",
    "reports/*",
    "originals/*",
    "ratinglist.duckdb",
}
REMEMBERED = {"last-backup.json"}
"""Files that only save time or state what is known: without them a home is whole."""


@pytest.fixture(scope="module")
def _eventful(homes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = Path(shutil.copytree(homes / MONTHS[0], tmp_path_factory.mktemp("pipes") / "home"))
    (home / "office.toml").write_text("", encoding="utf-8")
    return home


@pytest.fixture
def settings(_eventful: Path, tmp_path: Path) -> Settings:
    """An office that has published one month; yours to break."""
    return copied(_eventful, tmp_path)


GIVES = """
import json, sys
from tests.injected import give
from pathlib import Path
home, *commands = json.loads(sys.argv[1])
print(json.dumps([give(words, Path(home), "2025-12-01") for words in commands]))
"""


def given(home: Path, *commands: tuple[str, ...]) -> list[dict[str, Any]]:
    """What commands answer, given one after the other in a process that is ended where one hangs."""
    program = [sys.executable, "-c", GIVES, json.dumps([str(home), *commands])]
    done = subprocess.run(program, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=True, timeout=120)
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    assert all(word not in one["err"] for one in answers for word in ("Traceback", "defect")), answers
    return answers


def piped(home: Path, name: str) -> Path:
    """Put a pipe in the place of a file, or of the first that a pattern names."""
    path = next(iter(sorted(home.glob(name))), home / name)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    return path


@pytest.mark.parametrize("name", long_but(sorted(FOUND_BY_DOCTOR | REMEMBERED), "log/000003.json"))
def test_a_pipe_does_not_hang_a_command(settings: Settings, tmp_path: Path, name: str) -> None:
    path = piped(settings.home, name)
    backup, published = str(tmp_path / "backup"), str(settings.published)
    commands = (("doctor",), ("status",), ("backup", backup), ("rate", MONTHS[0]), ("verify", published))
    doctor, *others = given(settings.home, *commands)
    if name in FOUND_BY_DOCTOR:
        assert (doctor["exit"], str(path) in doctor["out"]) == (4, True), doctor
    else:
        assert [one["exit"] for one in (doctor, *others)] == [0] * 5, others


@pytest.mark.long
def test_a_pipe_among_what_is_imported_does_not_hang(settings: Settings, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "list.csv")
    file = str(tmp_path / "list.csv")
    answers = given(settings.home, ("import-players", file), ("load", file), ("doctor",))
    assert [one["exit"] for one in answers][:2] in ([2, 3], [3, 3])
    assert answers[2]["exit"] == 0
